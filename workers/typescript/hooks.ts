import { readFile } from 'node:fs/promises';
import type { InitializeHook, LoadHook } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import type { StripAnswer, StripRequest } from '../../src/threads/link/type-stripping.js';

/** What these hooks are registered with. */
export interface TypeScriptHooksData {
  /** To the thread that strips types for all; without it, or when it is gone, they are stripped here. */
  readonly stripper: MessagePort | undefined;
}

const typeScript = /\.([mc]?)ts$/;
const waiting = new Map<number, (answer: StripAnswer | undefined) => void>();
let stripper: MessagePort | undefined;
let lastId = 0;

export const initialize: InitializeHook<TypeScriptHooksData | undefined> = (data) => {
  stripper = data?.stripper;
  stripper?.on('message', (answer: StripAnswer) => settle(answer.id, answer));
  stripper?.on('close', () => {
    stripper = undefined;
    for (const id of waiting.keys()) settle(id, undefined);
  });
};

/** Loads TypeScript as Node 24 does by itself. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const [, kind] = typeScript.exec(new URL(url).pathname) ?? [];
  if (kind === undefined || !url.startsWith('file:')) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const source = await strip(await readFile(file, 'utf8'), file);
  const format = kind === 'c' || (kind === '' && (await typeOfPackage(dirname(file))) === 'commonjs') ? 'commonjs' : 'module';
  return { format, source, shortCircuit: true };
};

async function strip(source: string, file: string): Promise<string> {
  const answer = await ask(source, file);
  if (answer?.kind === 'stripped') return answer.code;
  if (answer?.kind === 'refused') throw new SyntaxError(answer.reason);
  const { stripTypes } = await import('./strip-types.js');
  return stripTypes(source, file);
}

/** Resolves with undefined when there is nobody to ask. */
function ask(source: string, file: string): Promise<StripAnswer | undefined> {
  return new Promise((resolve) => {
    if (stripper === undefined) return resolve(undefined);
    const id = ++lastId;
    waiting.set(id, resolve);
    stripper.postMessage({ id, file, source } satisfies StripRequest);
  });
}

function settle(id: number, answer: StripAnswer | undefined): void {
  waiting.get(id)?.(answer);
  waiting.delete(id);
}

/** `type` of the nearest package.json; a pack without one writes modules. */
async function typeOfPackage(folder: string): Promise<unknown> {
  try {
    return (JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { type?: unknown }).type;
  } catch {
    return dirname(folder) === folder ? undefined : typeOfPackage(dirname(folder));
  }
}
