import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { tokenName } from '../packs/environment.js';

/** The token, if there is one, and why pack code could still find it where it was. */
export interface TakenToken {
  readonly token: string | undefined;
  readonly exposure: string | undefined;
}

/**
 * Takes the token out of the process's environment, where pack code or a child process could read it:
 * from `process.env`, and on Linux from the block that the kernel shows as /proc/self/environ, which
 * unsetting a variable leaves as it was.
 */
export function takeToken(): TakenToken {
  const token = process.env[tokenName];
  delete process.env[tokenName];
  if (token === undefined || process.platform !== 'linux') return { token, exposure: undefined };
  try {
    overwrite(token);
    return { token, exposure: undefined };
  } catch (error) {
    return { token, exposure: error instanceof Error ? error.message : String(error) };
  }
}

/** The start-up block can be overwritten in place through /proc/self/mem. */
function overwrite(token: string): void {
  const block = readFileSync('/proc/self/environ');
  const entry = Buffer.from(`${tokenName}=${token}`);
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    for (let at = block.indexOf(entry); at >= 0; at = block.indexOf(entry, at + 1)) {
      const value = at + tokenName.length + 1;
      writeSync(memory, Buffer.alloc(entry.length - tokenName.length - 1, '*'), 0, undefined, environmentStart() + value);
    }
  } finally {
    closeSync(memory);
  }
}

/** `env_start` of /proc/self/stat, its 50th field; the second, the command in brackets, may hold spaces. */
function environmentStart(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[50 - 3]);
}
