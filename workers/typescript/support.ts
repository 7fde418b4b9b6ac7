import { createRequire, register } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import { isTypeScript, nodeStripsTypes } from '../../src/threads/link/type-stripping.js';
import type { TypeScriptHooksData } from './hooks.js';

/**
 * Lets this thread import TypeScript if any of the modules is in it; a pack without pays nothing. Where
 * packhost is not installed beside the pack, its imports find the packhost that runs it: a new pack can be
 * served before anything is installed. `stripper`: a port to the thread that strips types, where Node does not; without
 * it they are stripped here.
 */
export function supportTypeScript(urls: readonly string[], stripper: MessagePort | undefined): void {
  const first = urls.find(isTypeScript);
  if (first === undefined) return;
  if (!nodeStripsTypes) register<TypeScriptHooksData>('./hooks.js', import.meta.url, { data: { stripper }, transferList: stripper ? [stripper] : [] });
  if (!findsPackhost(first)) register('./own-package-hooks.js', import.meta.url);
}

function findsPackhost(from: string): boolean {
  try {
    createRequire(from).resolve('packhost/sdk');
    return true;
  } catch {
    return false;
  }
}
