import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startPackService } from '../../src/index.js';
import { until } from '../running-service.js';
import { answeringModule, indexOf, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

/** What this process holds of the system, by number. */
const held = () => ({ descriptors: readdirSync('/proc/self/fd').length, threads: readdirSync('/proc/self/task').length });

const packOf = (source: string): string => temporaryPack(t, indexOf({ tools: [toolEntry('tool', 'tool.mjs')] }), { 'tool.mjs': source });

async function startInVain(t: Test, options: { readonly index: string; readonly port: number }, reason: RegExp): Promise<void> {
  // The journal is a setting of the command, and not among the options of the type.
  const all = { token: 'token', host: '127.0.0.1', minThreads: 2, logLevel: 'silent' as const, journal: `sqlite:${join(temporaryFolder(t), 'journal.db')}`, ...options };
  await t.rejects(startPackService(all), { message: reason });
}

/** Starts several times, after one that makes what stays for the whole process: one descriptor or thread left by each would show as so many. */
async function leavesNothing(t: Test, options: { readonly index: string; readonly port: number }, reason: RegExp): Promise<void> {
  const starts = 5;
  await startInVain(t, options, reason);
  const before = held();
  for (let start = 0; start < starts; start++) await startInVain(t, options, reason);
  const left = (): { readonly descriptors: number; readonly threads: number } => {
    const now = held();
    return { descriptors: now.descriptors - before.descriptors, threads: now.threads - before.threads };
  };
  // A thread that was ended takes a moment to go.
  await until(() => left().descriptors < starts && left().threads < starts, 'what the starts held to be given back', 10_000).catch((error: unknown) => {
    t.fail(String(error), left());
  });
}

t.test('starts of a pack that does not load leave neither descriptors nor threads', async (t) => {
  await leavesNothing(t, { index: packOf(`throw new Error('not today');\n`), port: 0 }, /not today/);
});

t.test('starts at a port that is taken leave neither descriptors nor threads', async (t) => {
  const taker = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taker.once('listening', resolve));
  t.teardown(() => taker.close());
  await leavesNothing(t, { index: packOf(answeringModule), port: (taker.address() as AddressInfo).port }, /EADDRINUSE/);
});
