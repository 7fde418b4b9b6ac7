import { readFile } from 'node:fs/promises';
import type { LoadHook } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/wasm-typescript';

const typeScript = /\.([mc]?)ts$/;

/**
 * Loads TypeScript as Node 24 does by itself, with the same compiler in the same mode: types become
 * spaces, so that every line and column stays where it was and no source map is needed. What is more
 * than types (enum, namespace, parameter properties) is refused, here as there.
 */
export const load: LoadHook = async (url, context, nextLoad) => {
  const [, kind] = typeScript.exec(new URL(url).pathname) ?? [];
  if (kind === undefined || !url.startsWith('file:')) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const source = strip(await readFile(file, 'utf8'), file);
  const format = kind === 'c' || (kind === '' && (await typeOfPackage(dirname(file))) === 'commonjs') ? 'commonjs' : 'module';
  return { format, source, shortCircuit: true };
};

function strip(source: string, file: string): string {
  try {
    return transformSync(source, { mode: 'strip-only', filename: file, deprecatedTsModuleAsError: true }).code;
  } catch (error) {
    throw new SyntaxError(`${file}: ${reasonOf(error)}`);
  }
}

/** The compiler throws `{ code, message, snippet, startLine }`. */
function reasonOf(error: unknown): string {
  const { message, startLine, snippet } = (typeof error === 'object' && error !== null ? error : {}) as Partial<Record<'message' | 'startLine' | 'snippet', unknown>>;
  if (typeof message !== 'string') return String(error);
  return `${message}${typeof startLine === 'number' ? ` (line ${startLine})` : ''}${typeof snippet === 'string' ? `: ${snippet.trim()}` : ''}`;
}

/** `type` of the nearest package.json; a pack without one writes modules. */
async function typeOfPackage(folder: string): Promise<unknown> {
  try {
    return (JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { type?: unknown }).type;
  } catch {
    return dirname(folder) === folder ? undefined : typeOfPackage(dirname(folder));
  }
}
