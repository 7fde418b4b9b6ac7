import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { type BenchOptions, readOptions, usage } from './options.js';
import { projectRoot } from './paths.js';
import { throughputChart } from './report/chart.js';
import { describeMachine } from './report/machine.js';
import { type Circumstances, type Result, resultOf } from './report/result.js';
import { table } from './report/table.js';
import { type BenchContext, fullPace, quickPace } from './scenario.js';
import { scenarios } from './scenarios/index.js';
import { packhost } from './targets/packhost.js';
import { floorName, installPeers, peers as allPeers, peerTarget, peerVersions } from './targets/peers.js';

function circumstances(options: BenchOptions): Circumstances {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string };
  return {
    date: new Date().toISOString(),
    quick: options.quick,
    versions: { node: process.versions.node, packhost: version, ...(options.peers ? peerVersions(allPeers) : {}) },
    machine: describeMachine(),
    loadBefore: loadavg()[0] ?? NaN,
  };
}

async function run(options: BenchOptions): Promise<void> {
  if (!existsSync(options.entry)) throw new Error(`there is nothing to measure at ${options.entry}: build first`);
  const peers = options.peers ? allPeers : allPeers.filter(({ name }) => name === floorName);
  if (options.peers) installPeers(peers);
  const around = circumstances(options);
  const { cores, model, memoryMiB, kernel, system } = around.machine;
  if (around.loadBefore > 0.5) console.error(`this machine is not idle (load average ${around.loadBefore.toFixed(1)}): the figures will tell more about the other work`);
  console.log(`packhost ${around.versions['packhost'] ?? ''}, Node.js ${process.versions.node}, ${cores} cores (${model}), ${memoryMiB} MiB, ${system}, ${kernel}\n`);
  for (const scenario of scenarios.filter(({ name }) => options.only.length === 0 || options.only.includes(name))) {
    const context: BenchContext = {
      options,
      pace: options.quick ? quickPace : fullPace,
      packhost: (flags) => packhost(options.entry, flags),
      peers: (names) => peers.filter(({ name }) => names.includes(name)).map(peerTarget),
      progress: (text) => process.stderr.write(`${scenario.name}: ${text}\n`),
    };
    const startedAt = performance.now();
    try {
      const result = resultOf(scenario, await scenario.run(context), around);
      await writeResults(options.output, result);
      console.log(`${table(result)}\n`);
      context.progress(`took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    } catch (error) {
      // One scenario that fails must not cost the hour that the others took.
      console.error(`${scenario.name} failed:`, error);
      process.exitCode = 1;
    }
  }
  console.log(`The JSON is in ${options.output}`);
}

/** Writes a scenario's JSON, and for throughput the picture drawn from it. */
async function writeResults(folder: string, result: Result): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${result.scenario}.json`), `${JSON.stringify(result, null, 2)}\n`);
  if (result.scenario === 'throughput') await writeFile(join(folder, 'throughput.svg'), throughputChart(result));
}

try {
  const request = readOptions(process.argv.slice(2), scenarios.map(({ name }) => name));
  if (request.kind === 'help') console.log(usage);
  else if (request.kind === 'list') for (const { name, title } of scenarios) console.log(`${name.padEnd(14)}${title}`);
  else await run(request.options);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
