/**
 * Processes to which the system refuses threads or files. The limit is the process's own (prlimit). It is set as the
 * process starts, or from the test at any time, and is lifted again: no test has to guess how many threads Node needs.
 */
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packhostCommand, withoutInstruments } from './running-service.js';

let lastUser = 0;

/**
 * What stands before a command to run it as an unprivileged user of its own. No limit binds root, and processes
 * that share a user share the count. Without root's rights the command runs as the test's user. `spareThreads`
 * limits it to so many threads beyond those that Node itself needs, before its program runs.
 */
export function asLimitedUser(spareThreads?: number): readonly string[] {
  const limited = spareThreads === undefined ? undefined : startsWithSpareThreads(spareThreads);
  const user = process.getuid?.() === 0 ? asUser(20_000 + ((process.pid * 16 + lastUser++) % 40_000)) : [];
  // The instruments of tap write into a folder that is not open to that user.
  return ['/usr/bin/env', ...withoutInstruments(limited), ...user];
}

/** The built command as such a user. */
export function limitedPackhost(spareThreads?: number): readonly [string, ...string[]] {
  const [program = '', ...args] = asLimitedUser(spareThreads);
  return [program, ...args, ...packhostCommand];
}

/** For `NODE_OPTIONS`. */
function startsWithSpareThreads(count: number): string {
  return `--import=${new URL(`limit-own-threads.js?spare=${count}`, import.meta.url).href}`;
}

/** Runs a module to its end in a process that may start no thread; resolves with what it printed, rejects when it fails. */
export async function runWithoutThreads(folder: string, source: string): Promise<string> {
  const file = join(folder, 'without-threads.mjs');
  writeFileSync(file, source);
  const [program = '', ...args] = [...asLimitedUser(0), process.execPath, file];
  openToAll(folder);
  const { stdout } = await promisify(execFile)(program, args, { env: { PATH: process.env['PATH'] } });
  return stdout;
}

/** From now on the process may start no more than so many further threads. More than none is exact only for a user of its own. */
export function limitThreads(pid: number, spare = 0): void {
  const user = userOf(pid);
  const limit = spare === 0 ? 1 : threadsOf(user) + spare;
  setLimit(pid, `--nproc=${limit}:`);
}

/** Lets the process start threads again. */
export function freeThreads(pid: number): void {
  setLimit(pid, `--nproc=${mostAllowed(pid, 'Max processes')}:`);
}

/** From now on the process can open no further file, socket or pipe until it closes one; a new thread needs some. */
export function limitFiles(pid: number): void {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let lowestFree = 0;
  while (open.has(lowestFree)) lowestFree++;
  setLimit(pid, `--nofile=${lowestFree}:`);
}

/** Lets the process open files again. */
export function freeFiles(pid: number): void {
  setLimit(pid, `--nofile=${mostAllowed(pid, 'Max open files')}:`);
}

/** Lets the user of a limited process read and write a folder with all that is in it. */
export function openToAll(folder: string): string {
  execFileSync('chmod', ['-R', 'a+rwX', folder]);
  return folder;
}

/** Why no limit can be set here, for a test's `skip`; false where it can. */
export const cannotLimit = reasonAgainst();

function reasonAgainst(): string | false {
  if (process.platform !== 'linux') return 'limits are set with prlimit, which Linux has';
  try {
    const [program = '', ...args] = [...asLimitedUser(), 'test', '-r', fileURLToPath(import.meta.url)];
    execFileSync(program, args);
    execFileSync('prlimit', ['--version']);
    return false;
  } catch (error) {
    return `no process can be limited here: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** With access to the files of the tests, whose folders are open to their own user alone. */
function asUser(user: number): readonly string[] {
  return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
}

function userOf(pid: number): number {
  return statSync(`/proc/${pid}`).uid;
}

function threadsOf(user: number): number {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.reduce((sum, pid) => sum + threadsOfProcess(Number(pid), user), 0);
}

function threadsOfProcess(pid: number, user: number): number {
  try {
    return userOf(pid) === user ? readdirSync(`/proc/${pid}/task`).length : 0;
  } catch {
    // It has ended since it was listed.
    return 0;
  }
}

/** The hard limit, up to which a process may raise its own. */
function mostAllowed(pid: number, name: string): string {
  const line = readFileSync(`/proc/${pid}/limits`, 'utf8').split('\n').find((each) => each.startsWith(name));
  return line?.slice(name.length).trim().split(/\s+/)[1] ?? 'unlimited';
}

/** A process of the same user may change the limit, even where root may not. */
function setLimit(pid: number, limit: string): void {
  const user = userOf(pid);
  const [program = '', ...args] = [...(user === process.getuid?.() ? [] : asUser(user)), 'prlimit', '--pid', String(pid), limit];
  execFileSync(program, args);
}
