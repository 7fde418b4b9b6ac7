import { createRequire, register } from 'node:module';

/**
 * Lets this thread import TypeScript if any of the modules is in it; a pack without pays nothing. Where
 * packhost is not installed beside the pack, its imports find the packhost that runs it: a new pack can be
 * served before anything is installed.
 */
export async function supportTypeScript(urls: readonly string[]): Promise<void> {
  const first = urls.find((url) => /\.[mc]?ts$/.test(url));
  if (first === undefined) return;
  await import('./typescript.js');
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
