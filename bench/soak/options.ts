import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { builtCommand, projectRoot } from '../paths.js';
import { hostileKinds } from './kinds/index.js';

/** What decides the plan of a run: the same figures give the same calls. */
export interface PlanOptions {
  readonly seconds: number;
  /** Arrivals a second, on average. */
  readonly rate: number;
  /** The share of arrivals that misbehave, as a tool or as a caller. */
  readonly hostile: number;
  readonly seed: number;
  readonly maxConcurrency: number;
  /** Names of hostile kinds to leave out: what is known to break would hide what is not. */
  readonly without: readonly string[];
}

export interface SoakOptions extends PlanOptions {
  readonly connections: number;
  /** The folder soak.json goes to. */
  readonly output: string;
  /** The built command to run: another checkout's, to compare two versions. */
  readonly entry: string;
}

export const usage = `npm run soak -- [options]

  --seconds N          how long calls arrive (30)
  --rate N             arrivals a second (100)
  --hostile SHARE      the share of them that misbehaves, from 0 to 1 (0.05)
  --seed N             what decides every draw; a new one by default, and printed
  --connections N      connections of the callers (32)
  --max-concurrency N  the service's own cap (16); more connections than that see its 503
  --without KINDS      hostile kinds to leave out, separated by commas: "patch,flood"
  --output FOLDER      where soak.json goes (bench/results)
  --entry FILE         another built command to run (dist/src/cli/main.js)
  --help               this text
`;

export type Request = { readonly kind: 'run'; readonly options: SoakOptions } | { readonly kind: 'help' };

const hostileNames = hostileKinds(1).map(({ name }) => name);

/** Reads the arguments; throws with a sentence about the first that is wrong. */
export function readOptions(args: string[]): Request {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '30' },
      rate: { type: 'string', default: '100' },
      hostile: { type: 'string', default: '0.05' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
      connections: { type: 'string', default: '32' },
      'max-concurrency': { type: 'string', default: '16' },
      without: { type: 'string', multiple: true, default: [] },
      output: { type: 'string', default: join(projectRoot, 'bench/results') },
      entry: { type: 'string', default: builtCommand },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { kind: 'help' };
  const without = values.without.flatMap((names) => names.split(',')).filter((name) => name !== '');
  const unknown = without.filter((name) => !hostileNames.includes(name));
  if (unknown.length > 0) throw new Error(`no hostile kind is called ${unknown.join(', ')}; there are: ${hostileNames.join(', ')}`);
  return {
    kind: 'run',
    options: {
      seconds: read('seconds', values.seconds, 5, 7 * 24 * 3600),
      rate: read('rate', values.rate, 1, 10_000),
      hostile: read('hostile', values.hostile, 0, 1),
      seed: whole('seed', values.seed, 0, 2 ** 32 - 1),
      connections: whole('connections', values.connections, 1, 1_000),
      maxConcurrency: whole('max-concurrency', values['max-concurrency'], 1, 1_000),
      without,
      output: resolve(values.output),
      entry: resolve(values.entry),
    },
  };
}

function read(name: string, given: string, least: number, most: number): number {
  const value = given.trim() === '' ? NaN : Number(given);
  if (!(value >= least && value <= most)) throw new Error(`--${name} must be from ${least} to ${most}, not ${given}`);
  return value;
}

function whole(name: string, given: string, least: number, most: number): number {
  const value = read(name, given, least, most);
  if (!Number.isInteger(value)) throw new Error(`--${name} must be a whole number, not ${given}`);
  return value;
}
