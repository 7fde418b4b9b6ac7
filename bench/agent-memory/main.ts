/** One figure of a memory, in a process of its own: OPERATION URL AMOUNT. Prints what it did as JSON. */
import { openMemory } from '../../src/memory/index.js';

const [operation, url = '', amount = '0'] = process.argv.slice(2);
const memory = await openMemory(url);
const chain = { tenantId: 'acme', runId: 'run-1' };
/** What an agent's tool calls are like: a few hundred bytes. */
const entry = (at: number) => ({ ...chain, kind: 'tool-call', actor: 'agent-1', scope: { userId: 'user-1', threadId: 'thread-1' }, payload: { toolId: 'acme.search', input: { query: `what is entry ${at} about`, limit: 10, filter: { kind: 'note', text: 'x'.repeat(100) } } } }) as const;

const operations: Readonly<Record<string, () => Promise<number>>> = {
  'one-by-one': async () => {
    let count = 0;
    for (const end = performance.now() + Number(amount); performance.now() < end; count++) await memory.log.append(entry(count));
    return count;
  },
  batches: async () => {
    for (let at = 0; at < Number(amount); at += 500) await memory.log.appendAll(Array.from({ length: 500 }, (_, within) => entry(at + within)));
    return Number(amount);
  },
  verify: async () => {
    const { entries, breaks } = await memory.log.verify('all-tenants');
    if (breaks.length > 0) throw new Error('the chain is broken');
    return entries;
  },
  export: async () => {
    let count = 0;
    for await (const line of memory.log.export('all-tenants')) if (line !== '') count++;
    return count;
  },
};

const run = operations[operation ?? ''];
if (run === undefined) throw new Error(`there is no operation ${String(operation)}`);
const startedAt = performance.now();
const entries = await run();
const tookMs = performance.now() - startedAt;
await memory.close();
process.stdout.write(JSON.stringify({ entries, tookMs, peakMiB: process.resourceUsage().maxRSS / 1024 }));
