import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { isTypeScript, nodeStripsTypes } from '../link/type-stripping.js';
import { startWorker } from './start-worker.js';

const stripperFile = new URL('../../../workers/typescript/type-stripper.js', import.meta.url);

let stripper: Worker | undefined;

/**
 * A port to the thread that strips types, for one thread that imports these modules. Undefined where none is
 * TypeScript, where Node strips types by itself, and where the thread cannot start: the importing thread then
 * strips them. All threads share the one: loading the compiler takes longer than loading most packs, and tens of
 * megabytes. It starts with the first that asks, and keeps no process alive.
 */
export function stripperPort(urls: readonly string[]): MessagePort | undefined {
  if (nodeStripsTypes || !urls.some(isTypeScript)) return undefined;
  stripper ??= startStripper();
  if (stripper === undefined) return undefined;
  const { port1, port2 } = new MessageChannel();
  stripper.postMessage(port1, [port1]);
  return port2;
}

function startStripper(): Worker | undefined {
  const start = startWorker(stripperFile, { env: {} });
  if (start.kind === 'failed') return undefined;
  const { worker } = start;
  worker.unref();
  worker.once('exit', () => (stripper = undefined));
  // Whoever waits for it hears its ports close, and strips by itself.
  worker.once('error', () => {});
  return worker;
}
