import { existsSync } from 'node:fs';
import type { Progress } from './load/process.js';
import { readOptions, usage } from './options.js';
import { resultOf, writeResult } from './report.js';
import { soak } from './soak.js';
import { tableOf } from './table.js';
import type { Sample } from './watch/sampler.js';

const progressEverySeconds = 10;
let nextProgress = progressEverySeconds;

function showProgress({ seconds, calls, inFlight, problems }: Progress, sample: Sample | undefined): void {
  if (!process.stdout.isTTY || seconds < nextProgress) return;
  nextProgress += progressEverySeconds;
  const size = sample ? `, ${sample.residentMiB.toFixed(0)} MiB, ${sample.threads} threads` : '';
  console.log(`${seconds.toFixed(0)} s: ${calls} calls, ${inFlight} in flight, ${problems} problems${size}`);
}

try {
  const request = readOptions(process.argv.slice(2));
  if (request.kind === 'help') console.log(usage);
  else {
    const { options } = request;
    if (!existsSync(options.entry)) throw new Error(`there is nothing to run at ${options.entry}: build first`);
    const result = resultOf(options, await soak(options, showProgress));
    const path = await writeResult(options.output, result);
    console.log(`${tableOf(result)}\n\n${path}`);
    const broken = result.invariants.filter(({ held }) => !held);
    if (broken.length > 0) {
      console.error(`not held: ${broken.map(({ name }) => name).join(', ')}; the same calls again: --seed ${options.seed} with the other options as they were`);
      process.exitCode = 1;
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
