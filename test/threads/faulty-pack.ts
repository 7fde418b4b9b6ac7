import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type HttpAnswer, type RunningService, toolCall } from '../running-service.js';
import { indexOf, temporaryFolder, temporaryPack, toolEntry } from '../temporary-pack.js';

const modules = {
  'echo.mjs': 'export const handler = (input) => input;\n',
  'exit.mjs': 'export const handler = () => process.exit(3);\n',
  // Says in `log` that it runs, then waits for the file `release`. By stat(2): access(2) leaves out the capability that `limitedCommand` gives.
  'hold.mjs': `
    import { appendFileSync, statSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    export const handler = async ({ log, release }) => {
      appendFileSync(log, 'running\\n');
      while (statSync(release, { throwIfNoEntry: false }) === undefined) await sleep(5);
      return { released: true };
    };
  `,
  'thread.mjs': `
    import { threadId } from 'node:worker_threads';
    export const handler = () => ({ threadId });
  `,
};

/** A pack with the tools echo, exit, hold and thread, and those that `more` adds by their modules. */
export function faultyPack(t: Test, more: Readonly<Record<string, string>> = {}): string {
  const all = { ...modules, ...more };
  return temporaryPack(t, indexOf({ tools: Object.keys(all).map((path) => toolEntry(path.replace('.mjs', ''), path)) }), all);
}

/** Calls a tool, with a deadline too far away to matter. A service that ends without an answer fails whoever awaits it. */
export function call(service: RunningService, tool: string, input: unknown = {}): Promise<HttpAnswer> {
  const answer = service.invoke(toolCall(tool, input), { 'kindgi-timeout-ms': '25000' });
  answer.catch(() => {});
  return answer;
}

/** A file that switches a fault on while it exists. */
export interface Switch {
  readonly file: string;
  turnOn(): void;
  turnOff(): void;
}

export function faultSwitch(t: Test): Switch {
  const file = join(temporaryFolder(t), 'on');
  return { file, turnOn: () => writeFileSync(file, ''), turnOff: () => rmSync(file) };
}

/** NODE_OPTIONS that have each worker thread run a statement before anything else while the switch is on. */
export function preloadInThreads(t: Test, { file }: Switch, statement: string): string {
  const preload = join(temporaryFolder(t), 'preload.cjs');
  writeFileSync(preload, `
    const { appendFileSync, existsSync } = require('node:fs');
    const { isMainThread } = require('node:worker_threads');
    if (!isMainThread && existsSync(${JSON.stringify(file)})) {
      ${statement}
    }
  `);
  return `--require ${preload}`;
}
