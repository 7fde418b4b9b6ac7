import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Test } from 'tap';
import { type HttpAnswer, type RequestOptions, type RunningService, toolCall, until } from './running-service.js';
import { temporaryFolder } from './temporary-pack.js';

/** A deadline too far away to matter. */
const farAway = { 'kindgi-timeout-ms': '25000' };

/** The lines that pack code wrote to a file; none before it exists. */
export const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);

/** A call of the `hold` tool, which runs until it is released or signalled. */
export interface HeldCall {
  readonly answer: Promise<HttpAnswer>;
  /** Waits until the handler runs. */
  readonly running: () => Promise<unknown>;
  readonly release: () => void;
  /** What the handler wrote: `running`, then `aborted NAME REASON` when its signal fired. */
  readonly lines: () => string[];
}

/** Calls `hold`; with `deaf` the handler ignores its signal. */
export function hold(t: Test, service: RunningService, options: { deaf?: boolean; headers?: OutgoingHttpHeaders; request?: RequestOptions; extra?: Record<string, unknown> } = {}): HeldCall {
  const folder = temporaryFolder(t);
  const log = join(folder, 'log');
  const release = join(folder, 'release');
  const answer = service.invoke(toolCall('hold', { log, release, deaf: options.deaf === true }, options.extra), { ...farAway, ...options.headers }, options.request);
  answer.catch(() => {}); // A caller that hangs up, or a service that is killed, is the test's own doing.
  return {
    answer,
    running: () => until(() => linesOf(log).includes('running'), 'the held call to run'),
    release: () => writeFileSync(release, ''),
    lines: () => linesOf(log),
  };
}
