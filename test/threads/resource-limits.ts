import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { packhostCommand } from '../running-service.js';
import { temporaryFolder } from '../temporary-pack.js';

/** A limit as prlimit(1) names it: the threads and processes of a user, or the open files of a process. */
export type Resource = 'nproc' | 'nofile';

/** Why these tests cannot run here; false where they can. */
export const needsPrlimit = existsSync('/usr/bin/prlimit') && existsSync('/usr/bin/setpriv') ? false : 'prlimit(1) and setpriv(1) of util-linux are needed';

/** The kernel limits every user but root, and counts the threads of all processes of a user: each test process has a user of its own. */
const ordinaryUser = 40_000 + (process.pid % 20_000);

type Command = readonly [string, ...string[]];

/** The command as a user whom the kernel limits, with access to the files of the tests. */
function asOrdinaryUser(command: Command): Command {
  if (process.getuid?.() !== 0) return command;
  const access = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return ['setpriv', `--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, '--clear-groups', ...access, ...command];
}

/** The built command, whose limits can be set. */
export const limitedCommand: Command = asOrdinaryUser(packhostCommand);

function prlimit(pid: number, ...args: string[]): string {
  const [program, ...rest] = asOrdinaryUser(['prlimit', '--pid', String(pid), ...args]);
  return execFileSync(program, rest, { encoding: 'utf8' }).trim();
}

/** Sets a limit of a service that was started by `limitedCommand`, and returns what restores it. */
export function limit(pid: number, resource: Resource, most: number): () => void {
  const before = prlimit(pid, `--${resource}`, '--output=SOFT', '--noheadings', '--raw');
  prlimit(pid, `--${resource}=${most}:`);
  return () => void prlimit(pid, `--${resource}=${before}:`);
}

/** NODE_OPTIONS for a service that may start no worker thread. It first starts the threads that Node cannot do without. */
export function noWorkerThreads(t: Test): string {
  const file = join(temporaryFolder(t), 'limit.mjs');
  writeFileSync(file, `
    import { execFileSync } from 'node:child_process';
    import { stat } from 'node:fs/promises';
    import { isMainThread } from 'node:worker_threads';
    if (isMainThread) {
      await stat('.');
      execFileSync('prlimit', ['--pid', String(process.pid), '--nproc=1:']);
    }
  `);
  return `--import ${file}`;
}
