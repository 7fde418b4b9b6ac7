import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { builtCommand, projectRoot } from './paths.js';

/** What `npm run bench -- …` was asked for. */
export interface BenchOptions {
  /** Few, short rounds: shows that everything runs; its figures are not for comparing. */
  readonly quick: boolean;
  /** Names of scenarios; empty runs all of them. */
  readonly only: readonly string[];
  /** Without peers only packhost and bare `node:http` run, and nothing is installed. */
  readonly peers: boolean;
  readonly output: string;
  /** The built command to measure: another checkout's, to compare two versions. */
  readonly entry: string;
}

export const usage = `npm run bench -- [options]

  --quick            few, short rounds: two minutes instead of forty
  --only NAMES       these scenarios, separated by commas
  --no-peers         only packhost and bare node:http; installs nothing
  --output FOLDER    where the results go (bench/results; with --quick the temporary folder)
  --entry FILE       another built command to measure (dist/src/cli/main.js)
  --list             the scenarios
  --help             this text
`;

export type Request = { readonly kind: 'run'; readonly options: BenchOptions } | { readonly kind: 'help' } | { readonly kind: 'list' };

/** Reads the arguments; throws with a sentence about the first that is wrong. */
export function readOptions(args: string[], scenarioNames: readonly string[]): Request {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      peers: { type: 'boolean', default: true },
      output: { type: 'string' },
      entry: { type: 'string', default: builtCommand },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { kind: 'help' };
  if (values.list) return { kind: 'list' };
  const only = values.only.flatMap((names) => names.split(',')).filter((name) => name !== '');
  const unknown = only.filter((name) => !scenarioNames.includes(name));
  if (unknown.length > 0) throw new Error(`no scenario is called ${unknown.join(', ')}; there are ${scenarioNames.join(', ')}`);
  // The results in the repository are a full run's; a quick one must not replace them unasked.
  const output = values.output ?? (values.quick ? join(tmpdir(), 'packhost-bench-results') : join(projectRoot, 'bench/results'));
  return { kind: 'run', options: { quick: values.quick, only, peers: values.peers, output: resolve(output), entry: resolve(values.entry) } };
}
