/**
 * A process that appends: URL, tenant, run, entries a batch, batches (0 for ever), appends at once. It
 * prints each acknowledged id and sequence as soon as it has it.
 */
import { writeSync } from 'node:fs';
import { openMemory } from '../../../src/memory/index.js';

const [url = '', tenantId = '', runId = '', perBatch = '1', batches = '0', atOnce = '1'] = process.argv.slice(2);
const memory = await openMemory(url);
const entry = { tenantId, runId, kind: 'tool-call', payload: { text: 'x'.repeat(200) } } as const;

async function write(): Promise<void> {
  for (let batch = 0; batches === '0' || batch < Number(batches); batch++) {
    const written = await memory.log.appendAll(Array.from({ length: Number(perBatch) }, () => entry));
    // Synchronous: what was acknowledged is out before anything can end the process.
    writeSync(1, written.map(({ id, sequence }) => `${sequence} ${id}\n`).join(''));
  }
}

writeSync(1, 'ready\n');
await Promise.all(Array.from({ length: Number(atOnce) }, write));
await memory.close();
