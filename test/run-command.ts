import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { fixturePack, packhostCommand } from './running-service.js';
import { temporaryFolder } from './temporary-pack.js';

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What stands before the command: `sh -c 'umask 077; exec "$@"' sh`. */
  readonly within?: readonly string[];
}

/** Runs the built command to its end, with no settings but those given. */
export function runCommand(args: readonly string[], { cwd, env, within = [] }: RunOptions = {}): Promise<Run> {
  const [program = '', ...rest] = [...within, ...packhostCommand, ...args];
  return new Promise((resolve) => {
    execFile(program, rest, { ...(cwd === undefined ? {} : { cwd }), env: { PATH: process.env['PATH'], COLUMNS: '200', ...env } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** A fixture's copy in a folder of the test's own, from which the project's packages are found. */
export function copyPack(t: Test, fixture: string): string {
  const folder = join(temporaryFolder(t), 'pack');
  cpSync(fixturePack(fixture), folder, { recursive: true });
  return folder;
}
