import { join, relative, resolve } from 'node:path';
import { hasErrors, indexPack } from '../indexer/index-pack.js';
import { artifactVersionOf, indexText, nameArtifact, type PackIndex, writeWhole } from '../indexer/pack-index.js';
import { BootError } from '../packs/boot-error.js';
import { loadBundleMap } from '../packs/modules.js';
import { readArguments, sharedOptions } from './pack-command.js';
import { countProblems, problemTable } from './problem-table.js';

const command = {
  name: 'index',
  usage: "[DIR] [flags]\n\nReads a pack's sources and writes its index.json. With an error nothing is written; exit 1.",
  options: {
    ...sharedOptions,
    output: { type: 'string', requiresArg: true, describe: 'The file to write', defaultDescription: 'DIR/index.json' },
    'artifact-version': { type: 'string', requiresArg: true, describe: 'What this build is called', defaultDescription: 'YYYYMMDD.N' },
    'published-at': { type: 'string', requiresArg: true, describe: 'When it was made: 2026-01-01T00:00:00Z', defaultDescription: 'now' },
  },
} as const;

/** `packhost index`: exit 0 once the index is written, else 1. */
export async function index(args: readonly string[]): Promise<void> {
  const given = readArguments(command, args);
  if (given === undefined) return;
  const { path: folder, flags } = given;
  const output = flags.output === undefined ? join(folder, 'index.json') : resolve(flags.output);
  const publishedAt = readTime(flags['published-at']);
  if (publishedAt === null) return fail(`--published-at must be a time such as 2026-01-01T00:00:00Z, not ${JSON.stringify(flags['published-at'])}`);
  const { 'artifact-version': artifactVersion, 'bundle-map': bundleMap, 'env-filter': envFilter, 'load-timeout': loadTimeoutMs } = flags;
  try {
    const artifact = nameArtifact({ ...(artifactVersion === undefined ? {} : { artifactVersion }), ...(publishedAt === undefined ? {} : { publishedAt }) }, await artifactVersionOf(output));
    const { index, problems } = await indexPack(folder, { artifact, environment: process.env, envFilter, loadTimeoutMs, bundleMap: await loadBundleMap(bundleMap) });
    if (problems.length > 0) process.stderr.write(`${problemTable(problems, process.stderr.isTTY)}\n${countProblems(problems)}\n`);
    if (index === undefined || hasErrors(problems) || (flags.strict && problems.length > 0)) return fail(`nothing is written to ${output}`);
    await writeWhole(output, indexText(index));
    process.stdout.write(`${summary(index)} → ${relative(process.cwd(), output) || output}\n`);
  } catch (error) {
    if (!(error instanceof BootError) && !isSystemError(error)) throw error;
    fail(error instanceof BootError ? error.problems.join('\n') : error.message);
  }
}

/** `acme 1.0.0, artifact 20261130.1: 3 tools, 1 guardrail`. */
function summary({ packId, packVersion, artifactVersion, tools, guardrails, agents, flows }: PackIndex): string {
  const lists = { tool: tools, guardrail: guardrails, agent: agents, flow: flows };
  const counts = Object.entries(lists).flatMap(([name, { length }]) => (length === 0 ? [] : [`${length} ${name}${length === 1 ? '' : 's'}`]));
  return `${packId} ${packVersion}, artifact ${artifactVersion}: ${counts.join(', ') || 'nothing'}`;
}

/** As an index has it: UTC with milliseconds. Null for what is no time. */
function readTime(given: string | undefined): string | null | undefined {
  if (given === undefined) return undefined;
  const time = new Date(given);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

function fail(message: string): void {
  process.stderr.write(`packhost index: ${message}\n`);
  process.exitCode = 1;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
