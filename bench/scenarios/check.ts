import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peakUsage } from '../measure/process-usage.js';
import { Recording, type Round } from '../measurement.js';
import { withTraces } from '../packs/write-traces.js';
import { projectRoot } from '../paths.js';
import type { Scenario } from '../scenario.js';

const traceBytes = 5 * 1024;
const allTraces = 10_000;

/** A pack whose guardrails name packhost's own checks, and which has no code. */
async function withOwnChecks<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'packhost-bench-'));
  const guardrail = (checkId: string, config: object): object => ({ id: `bench.${checkId}`, kind: 'zero-llm', action: { 'on-violation': 'halt' }, checkId, config });
  const guardrails = [
    guardrail('must-cite', { sourcePattern: '\\[\\d+\\]' }),
    guardrail('never-call-tool', { tools: ['delete'] }),
    guardrail('forbidden-substring', { patterns: ['ann@example.com'] }),
  ];
  try {
    const index = { v: 1, packId: 'bench', packVersion: '1.0.0', artifactVersion: '1', publishedAt: '2026-01-01T00:00:00.000Z', tools: [], guardrails, agents: [], flows: [] };
    await writeFile(join(folder, 'index.json'), JSON.stringify(index));
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One run of the command, from its start to its end; the one trace in five hundred that it must find stops the build. */
async function run(entry: string, pack: string, file: string, traces: number): Promise<Round> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [entry, 'check', '--pack', pack, '--trace', file, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let end = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (end = (end + text).slice(-1000)));
  const { result, residentMiB } = await peakUsage(child.pid ?? 0, once(child, 'close'));
  const { failed } = JSON.parse(/"totals":(\{[^}]*\})/.exec(end)?.[1] ?? '{}') as { failed?: number };
  if (result[0] !== 1 || failed !== Math.ceil(traces / 500)) throw new Error(`packhost check ended with ${String(result[0])} and ${failed} violations: ${end}`);
  return { tracesPerSecond: traces / ((performance.now() - startedAt) / 1000), residentMiB };
}

export const check: Scenario = {
  name: 'check',
  title: 'packhost check: recorded runs judged a second, and memory',
  metrics: [
    { name: 'tracesPerSecond', label: 'traces/s', digits: 0 },
    { name: 'residentMiB', label: 'peak resident MiB', digits: 0 },
  ],
  flags: [],
  notes: [
    'Traces of 5 KiB, 10,000 of them as JSON Lines; from the start of the process to its end.',
    'The example pack has two checks of its own, which run on worker threads; the other pack names three of packhost\'s, one of them with a pattern.',
  ],
  async run({ options, pace, progress }) {
    const recording = new Recording();
    const traces = options.quick ? 1000 : allTraces;
    const rounds = options.quick ? 1 : pace.rounds;
    await withTraces(traces, traceBytes, (file) =>
      withOwnChecks(async (ownChecks) => {
        for (let round = 0; round < rounds; round++) {
          progress(`round ${round + 1} of ${rounds}`);
          recording.add('packhost', { pack: 'the example pack' }, await run(options.entry, join(projectRoot, 'examples'), file, traces));
          recording.add('packhost', { pack: 'packhost\'s own checks' }, await run(options.entry, ownChecks, file, traces));
        }
      }),
    );
    return recording.measurements();
  },
};
