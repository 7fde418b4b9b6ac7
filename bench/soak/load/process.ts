import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stopAtExit } from '../../targets/server-process.js';
import type { AccountData } from '../account.js';
import type { ProblemData } from '../judge/problem.js';
import type { SoakOptions } from '../options.js';
import type { Address } from './send.js';
import type { Times } from './timing.js';

/** What the process of the callers is told. */
export interface LoadJob {
  readonly address: Address;
  readonly options: SoakOptions;
}

/** How far it is. */
export interface Progress {
  readonly seconds: number;
  readonly calls: number;
  readonly inFlight: number;
  readonly problems: number;
}

/** What it found. */
export interface LoadReport {
  readonly account: AccountData;
  readonly problems: readonly ProblemData[];
  /** Why answers were lost, by the place of their call. */
  readonly lost: Readonly<Record<number, string>>;
  readonly health: Times;
  readonly echo: Times;
  readonly lateness: Times;
  /** How long the callers' own event loop was held: times below this are theirs, not the service's. */
  readonly callerDelay: Times;
  /** Cores the callers used. */
  readonly callerCores: number;
}

export type LoadMessage =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'report'; readonly report: LoadReport }
  | { readonly kind: 'failed'; readonly message: string };

/** Runs the callers in a process of their own: what the soak itself does, such as reading floods, must not hold them up. */
export function runLoad(job: LoadJob, onProgress: (progress: Progress) => void): Promise<LoadReport> {
  const child = fork(fileURLToPath(new URL('./main.js', import.meta.url)), [], { serialization: 'advanced' });
  stopAtExit(child);
  return new Promise((resolve, reject) => {
    child.on('message', (message: LoadMessage) => {
      switch (message.kind) {
        case 'progress':
          return onProgress(message.progress);
        case 'report':
          return resolve(message.report);
        case 'failed':
          return reject(new Error(`the callers failed: ${message.message}`));
      }
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the callers' process ended with ${String(code)}`)));
    child.send(job);
  });
}
