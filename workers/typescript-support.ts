/** Lets this thread import TypeScript if any of the modules is in it; a pack without pays nothing. */
export async function supportTypeScript(urls: readonly string[]): Promise<void> {
  if (urls.some((url) => /\.[mc]?ts$/.test(url))) await import('./typescript.js');
}
