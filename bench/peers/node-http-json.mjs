/** `node:http` with the handler in the same thread: parse, run, stringify; no validation. */
import { createServer } from 'node:http';
import { answer } from './handler.mjs';

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const bytes = Buffer.from(JSON.stringify(await answer(JSON.parse(body.toString('utf8')))));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  });
}).listen(process.env.PORT, '127.0.0.1');
