import { type Mode, severities, type Severity } from '../../guardrails/index.js';
import { parseFlags } from '../parse-flags.js';

/** What `packhost check` is to do. */
export interface CheckOptions {
  readonly pack: string;
  /** Files and folders, as given. */
  readonly traces: readonly string[];
  readonly mode: Mode;
  readonly failOn: Severity;
  readonly json: boolean;
  readonly junit: string | undefined;
  readonly judge: string | undefined;
  readonly timeLimitMs: number;
}

/** Arguments that cannot be used, with every problem found. */
export class InvalidArguments extends Error {
  override readonly name = 'InvalidArguments';
}

const flags = {
  pack: { describe: "The pack's folder, with its index.json", requiresArg: true },
  trace: { describe: 'Traces: a .json file (one, or an array), a JSON Lines file, or a folder of them', array: true, requiresArg: true },
  mode: { describe: 'What the runs are judged as (ci, runtime)', defaultDescription: 'ci', requiresArg: true },
  'fail-on': { describe: `The least severity of a violation that stops the build (${severities.join(', ')})`, defaultDescription: 'error', requiresArg: true },
  json: { describe: 'Print JSON instead of a table', boolean: true },
  junit: { describe: 'Also write a JUnit XML report to this file', requiresArg: true },
  judge: { describe: 'A module whose default export judges guardrails of kind llm-judge', requiresArg: true },
  'time-limit': { describe: 'How long one check may take, in milliseconds', defaultDescription: '5000', requiresArg: true },
} as const;
const known = Object.keys(flags);

/** Reads the arguments; throws InvalidArguments with everything that is wrong with them. */
export function readOptions(args: readonly string[]): CheckOptions {
  const { parsed, problems: ofForm } = parseFlags(args, { texts: known.filter((name) => name !== 'json' && name !== 'trace'), lists: ['trace'], switches: ['json'] });
  const problems = [...ofForm, ...parsed._.map((word) => `"${word}" belongs to no flag`)];
  const one = (name: string): string | undefined => {
    const [value] = [parsed[name]].flat();
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const choice = <const T extends string>(name: string, choices: readonly T[], otherwise: T): T => {
    const value = one(name) ?? otherwise;
    if (!(choices as readonly string[]).includes(value)) problems.push(`--${name}: must be one of ${choices.join(', ')}, not "${value}"`);
    return value as T;
  };
  const timeLimit = one('time-limit') ?? '5000';
  if (!/^[1-9][0-9]{0,8}$/.test(timeLimit)) problems.push(`--time-limit: must be a positive whole number of milliseconds, not "${timeLimit}"`);
  const traces = (parsed['trace'] ?? []) as readonly string[];
  const pack = one('pack') ?? '';
  if (pack === '') problems.push('--pack: the folder of a pack is required');
  if (traces.length === 0) problems.push('--trace: at least one file or folder is required');
  const options = {
    pack,
    traces,
    mode: choice('mode', ['ci', 'runtime'], 'ci'),
    failOn: choice('fail-on', severities, 'error'),
    json: parsed['json'] === true,
    junit: one('junit'),
    judge: one('judge'),
    timeLimitMs: Number(timeLimit),
  };
  if (problems.length > 0) throw new InvalidArguments(problems.map((problem) => `- ${problem}`).join('\n'));
  return options;
}

/** What `packhost check --help` prints. */
export async function checkHelp(): Promise<string> {
  const { default: yargs } = await import('yargs');
  return yargs([])
    .scriptName('packhost')
    .usage(
      "$0 check --pack DIR --trace FILE... [flags]\n\nJudges recorded runs by a pack's guardrails, as the runtime would.\nExit 0: the build may go on. 1: it must stop. 2: nothing could be judged (arguments, pack, no traces), or not all of it (no threads).",
    )
    .help(false)
    .version(false)
    .wrap(Math.min(120, process.stdout.columns ?? 100))
    .options(flags)
    .string(known.filter((name) => name !== 'json'))
    .getHelp();
}
