import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stopAtExit } from '../../targets/children.js';
import type { LoadJob, LoadMessage, LoadReport, Progress } from './job.js';

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
