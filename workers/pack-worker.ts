import { readlinkSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import type { FromWorker, SessionTask } from '../src/protocol/threads.js';
import { callLog } from './call-log.js';
import { Cleanliness } from './guards/cleanliness.js';
import { watchEnvironment } from './guards/environment.js';
import { FaultGuard } from './guards/faults.js';
import { guardMainThread } from './guards/main-thread.js';
import { guardNetwork } from './guards/network.js';
import { guardProcesses } from './guards/processes.js';
import { MemoryLimit } from './memory-limit.js';
import { preload } from './preload.js';
import { serveCalls } from './serve-calls.js';
import { printDirectly } from './stdio.js';
import { supportTypeScript } from './typescript-support.js';

/**
 * The life of one worker thread, as one task of the pool: put up the guards, load the pack, say so,
 * then run the calls that come over the session's own port until the main thread ends the thread.
 */
export default async function session({ port, pack, rules, log, progress }: SessionTask): Promise<void> {
  const post = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const loadFaults: string[] = [];
  let loading = true;
  const faults = new FaultGuard((fault) => {
    if (loading) loadFaults.push(`While the modules loaded: ${fault.cause.name}: ${fault.cause.message}`);
    else post(fault);
  });
  printDirectly(log.prints);
  await supportTypeScript(pack.modules.map(({ url }) => url));
  const environment = watchEnvironment();
  const memoryLimit = rules.memMB === undefined ? undefined : new MemoryLimit(rules.memMB);
  guardMainThread();
  guardNetwork(rules.network, () => faults.who);
  guardProcesses(rules.network, rules.childMark, new Int32Array(progress, 4, 1), () => faults.who);

  const loaded = await preload(pack, new Int32Array(progress, 0, 1));
  loading = false;
  if (loaded.kind === 'failed' || loadFaults.length > 0) {
    post({ kind: 'load-failed', problems: [...(loaded.kind === 'failed' ? loaded.problems : []), ...loadFaults] });
    return;
  }
  serveCalls(loaded.pack, port, { post, faults, log: callLog(log), cleanliness: rules.checksCleanliness ? new Cleanliness(environment) : undefined, memoryLimit });
  post({ kind: 'ready', warnings: loaded.pack.warnings, threadId, nativeThreadId: nativeThreadId() });
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
