import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { isTypeScript } from '../link/type-stripping.js';

const stripperFile = new URL('../../../workers/typescript/type-stripper.js', import.meta.url);
const isNative = Boolean((process.features as { readonly typescript?: unknown }).typescript);

let stripper: Worker | undefined;

/**
 * A port to the thread that strips types, for one thread that imports these modules; undefined where none is
 * TypeScript, or Node strips types by itself. All threads share the one: loading the compiler takes longer than
 * loading most packs, and tens of megabytes. It starts with the first that asks, and keeps no process alive.
 */
export function stripperPort(urls: readonly string[]): MessagePort | undefined {
  if (isNative || !urls.some(isTypeScript)) return undefined;
  if (stripper === undefined) {
    stripper = new Worker(stripperFile, { env: {} });
    stripper.unref();
    stripper.once('exit', () => (stripper = undefined));
    // Whoever waits for it hears its ports close, and strips by itself.
    stripper.once('error', () => {});
  }
  const { port1, port2 } = new MessageChannel();
  stripper.postMessage(port1, [port1]);
  return port2;
}
