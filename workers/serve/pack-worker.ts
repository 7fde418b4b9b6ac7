import { readlinkSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { CallLedger } from '../../src/threads/link/call-ledger.js';
import type { FromWorker, SessionTask, ValidatorCodes } from '../../src/threads/link/messages.js';
import { callLog } from './call-log.js';
import { Cleanliness } from '../guards/cleanliness.js';
import { watchEnvironment } from '../guards/environment.js';
import { FaultGuard } from '../guards/faults.js';
import { guardMainThread } from '../guards/main-thread.js';
import { guardProcesses } from '../guards/processes.js';
import { MemoryLimit } from './memory-limit.js';
import { preload } from '../load/preload.js';
import { CallServer } from './call-server.js';
import { printDirectly } from './stdio.js';
import { supportTypeScript } from '../typescript/support.js';

/**
 * The life of one worker thread, as one task of the pool: put up the guards, load the pack, say so,
 * then run the calls that come over the session's own port until the main thread ends the thread.
 */
export default async function session({ port, pack, rules, log, progress, ledger, stripper }: SessionTask): Promise<void> {
  const post = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const validators = new Promise<readonly string[]>((resolve) => port.once('message', ({ codes }: ValidatorCodes) => resolve(codes)));
  const loadFaults: string[] = [];
  let server: CallServer | undefined = undefined;
  const faults = new FaultGuard((fault) => {
    if (server === undefined) return void loadFaults.push(`While the modules loaded: ${fault.cause.name}: ${fault.cause.message}`);
    server.spend();
    post(fault);
  });
  printDirectly(log);
  supportTypeScript(pack.modules.map(({ url }) => url), stripper);
  const environment = watchEnvironment();
  const memoryLimit = rules.memMB === undefined ? undefined : new MemoryLimit(rules.memMB);
  guardMainThread();
  if (rules.network.kind !== 'unrestricted') {
    // Loaded where it is needed: a thread without a policy has no use for it.
    const { guardNetwork } = await import('../guards/network.js');
    guardNetwork(rules.network, () => faults.who);
  }
  guardProcesses(rules.network, rules.childMark, new Int32Array(progress, 4, 1), () => faults.who);

  const loaded = await preload(pack, new Int32Array(progress, 0, 1), validators);
  if (loaded.kind === 'failed' || loadFaults.length > 0) {
    post({ kind: 'load-failed', problems: [...(loaded.kind === 'failed' ? loaded.problems : []), ...loadFaults] });
    return;
  }
  const cleanliness = rules.checksCleanliness ? new Cleanliness(environment) : undefined;
  server = new CallServer(loaded.pack, port, {
    post,
    ledger: new CallLedger(ledger),
    callsAtOnce: rules.callsAtOnce,
    faults,
    log: callLog(log),
    cleanliness,
    memoryLimit,
  });
  post({ kind: 'ready', threadId, nativeThreadId: nativeThreadId() });
  // The first look has V8 compile what looks, which no answer need wait for.
  cleanliness?.leftBehind();
  await new Promise(() => {});
}

/** The kernel's number for this thread, where there is one: /proc/thread-self is PID/task/TID. */
function nativeThreadId(): number | undefined {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return undefined;
  }
}
