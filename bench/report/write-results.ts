import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { throughputChart } from './chart.js';
import type { Result } from './result.js';

/** Writes a scenario's JSON, and for throughput the picture drawn from it. */
export async function writeResults(folder: string, result: Result): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${result.scenario}.json`), `${JSON.stringify(result, null, 2)}\n`);
  if (result.scenario === 'throughput') await writeFile(join(folder, 'throughput.svg'), throughputChart(result));
}
