/**
 * The journal's own thread: it parses, hashes and writes what the journal is given, so that neither a
 * slow disk nor a large body holds up the thread that answers calls.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { MemoryError } from '../errors.js';
import { type Memory, openMemory } from '../memory.js';
import type { NewLogEntry } from '../records/log-entry.js';
import { entriesOf } from './entries.js';
import type { FromThread, JournalledCall, ThreadData, ToThread } from './messages.js';

const mostAtOnce = 500;
const firstPauseMs = 100;
const longestPauseMs = 5_000;

const { url, payloads } = workerData as ThreadData;
const port = parentPort;
if (port === null) throw new Error('this module is the main module of a worker thread');
const tell = (message: FromThread): void => port.postMessage(message);

const waiting: JournalledCall[] = [];
let writing = false;
let closing = false;

try {
  const memory = await openMemory(url);
  port.on('message', (message: ToThread) => {
    if (message.kind === 'call') waiting.push(message.call);
    else closing = true;
    write(memory).catch(endThread);
  });
  tell({ kind: 'open' });
} catch (error) {
  tell({ kind: 'open-failed', code: error instanceof MemoryError ? error.code : 'unusable-database', message: error instanceof Error ? error.message : String(error) });
}

/** Left unhandled, it ends this thread: the journal hears of it, and says so. */
function endThread(error: unknown): never {
  throw error instanceof Error ? error : new Error(String(error));
}

async function write(memory: Memory): Promise<void> {
  if (writing) return;
  writing = true;
  while (waiting.length > 0) await writeBatch(memory, waiting.splice(0, mostAtOnce));
  writing = false;
  if (!closing) return;
  await memory.close();
  tell({ kind: 'closed' });
  port?.close();
}

/** One transaction takes the calls of a batch; those the database does not take are tried again. */
async function writeBatch(memory: Memory, calls: readonly JournalledCall[]): Promise<void> {
  let refused = 0;
  let left: NewLogEntry[][] = [];
  for (const call of calls) {
    try {
      const entries = entriesOf(call, payloads);
      if (entries.length > 0) left.push(entries);
    } catch {
      // Such as a body that is nested too deeply: the journal goes on without it.
      refused++;
    }
  }
  for (let pauseMs = firstPauseMs; left.length > 0; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const outcomes = await Promise.allSettled(left.map((entries) => memory.log.appendAll(entries)));
    const failed: typeof left = [];
    let reason: unknown;
    for (const [at, outcome] of outcomes.entries()) {
      const entries = left[at];
      if (outcome.status === 'fulfilled' || entries === undefined) continue;
      const code = outcome.reason instanceof MemoryError ? outcome.reason.code : undefined;
      // Taken: an earlier try got through after all.
      if (code === 'duplicate-id') continue;
      if (code === 'invalid-record') refused++;
      else {
        failed.push(entries);
        reason = outcome.reason;
      }
    }
    left = failed;
    if (left.length === 0) break;
    tell({ kind: 'failing', message: reason instanceof Error ? reason.message : String(reason) });
    await sleep(pauseMs);
  }
  tell({ kind: 'settled', calls: calls.length, refused });
}
