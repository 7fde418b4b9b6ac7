import { closedLoop } from './closed-loop.js';
import type { LoadJob, LoadReply } from './job.js';
import { openLoop } from './open-loop.js';

/** The load generator: takes jobs from its parent, one at a time, until it is disconnected. */
const run = (job: LoadJob) => (job.kind === 'closed-loop' ? closedLoop(job) : openLoop(job));

const reply = (message: LoadReply): void => {
  process.send?.(message);
};

process.on('message', (job: LoadJob) => {
  run(job).then(
    (report) => reply({ kind: 'report', report }),
    (error: unknown) => reply({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
