import type { FromWorker, SessionTask } from '../src/protocol/threads.js';
import { callLog } from './call-log.js';
import { Guards } from './guards.js';
import { preload } from './preload.js';
import { serveCalls } from './serve-calls.js';
import { printDirectly } from './stdio.js';

/**
 * The life of one worker thread, as one task of the pool: load the pack, say so, then run the calls
 * that come over the session's own port until the main thread ends the thread.
 */
export default async function session({ port, pack, log, progress }: SessionTask): Promise<void> {
  const post = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const loadFaults: string[] = [];
  let loading = true;
  const guards = new Guards((fault) => {
    if (loading) loadFaults.push(`While the modules loaded: ${fault.cause.name}: ${fault.cause.message}`);
    else post(fault);
  });
  printDirectly();

  const loaded = await preload(pack, new Int32Array(progress));
  loading = false;
  if (loaded.kind === 'failed' || loadFaults.length > 0) {
    post({ kind: 'load-failed', problems: [...(loaded.kind === 'failed' ? loaded.problems : []), ...loadFaults] });
    return;
  }
  serveCalls(loaded.pack, port, post, guards, callLog(log));
  post({ kind: 'ready', warnings: loaded.pack.warnings });
  await new Promise(() => {});
}
