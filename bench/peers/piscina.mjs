/**
 * A plain Piscina pool behind `node:http`: each call is one task, and each task has its thread to itself.
 * As in packhost, the main thread only passes the text on. Piscina decides which thread gets which task.
 */
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';

// A thread per core, as many as packhost keeps warm. With its defaults Piscina ends a thread above the minimum as soon
// as it is idle, and starts another for the next burst. The other options are Piscina's defaults:
// `concurrentTasksPerWorker: 1`, and an idle thread waits in `Atomics.wait`.
const threads = availableParallelism();
const pool = new Piscina({ filename: new URL('./piscina-task.mjs', import.meta.url).href, minThreads: threads, maxThreads: threads });

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const bytes = Buffer.from(await pool.run(body.toString('utf8')));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  });
}).listen(process.env.PORT, '127.0.0.1');
