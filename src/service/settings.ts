import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { logLevels } from '../logging/log-levels.js';
import { defaultBufferBytes } from '../logging/output.js';

/** How a setting's value is read from what was given, and what is wrong with it otherwise. */
type Read<T> = (given: unknown) => { readonly value: T } | { readonly problem: string };

/** One setting: its flag, its environment name, its default and its line of help all come from here. */
export interface Setting<T> {
  readonly flag: string;
  readonly env?: string;
  readonly group: 'Pack' | 'Address' | 'Concurrency' | 'Time' | 'Limits' | 'Environment' | 'Journal' | 'Logging';
  readonly help: string;
  /** Used when nothing is given. */
  readonly fallback: T;
  /** What the help says the default is, where that is not `fallback` itself. */
  readonly fallbackText?: string;
  readonly read: Read<T>;
}

const prefix = 'KINDGI_PACK_SERVICE_';
const longestTimerMs = 2 ** 31 - 1;

/** Every setting of a pack service but its token, which is never an argument. */
export const settingTable = {
  index: text({ flag: 'index', env: 'KINDGI_PACK_INDEX', group: 'Pack', help: "The pack's index.json, or its folder", fallback: '/app/index.json' }),
  moduleRoot: optional(text({ flag: 'module-root', group: 'Pack', help: 'The folder module paths start from', fallback: '', fallbackText: "the index's folder" })),
  bundleMap: optional(text({ flag: 'bundle-map', group: 'Pack', help: 'JSON file: source path → bundle path under the module root', fallback: '', fallbackText: 'none' })),
  bootTimeout: milliseconds({ flag: 'boot-timeout', group: 'Pack', help: 'How long a thread may take to load the pack', fallback: 30_000 }, 1),
  host: optional(text({ flag: 'host', group: 'Address', help: 'The address to listen on', fallback: '', fallbackText: 'every interface' })),
  port: integer({ flag: 'port', env: 'PORT', group: 'Address', help: 'The port to listen on; 0 picks a free one', fallback: 8080 }, 0, 65_535),
  maxConcurrency: integer({ flag: 'max-concurrency', group: 'Concurrency', help: 'Calls in flight at once; more are answered 503', fallback: 32 }, 1),
  minThreads: optional(integer({ flag: 'min-threads', group: 'Concurrency', help: 'Worker threads kept warm', fallback: 0, fallbackText: 'the cores' }, 1)),
  maxThreads: optional(integer({ flag: 'max-threads', group: 'Concurrency', help: 'Worker threads at most; they are added while calls wait', fallback: 0, fallbackText: 'max-concurrency' }, 1)),
  callsPerWorker: integer({ flag: 'calls-per-worker', group: 'Concurrency', help: 'Calls that may share a thread; 1 gives each its own', fallback: 1 }, 1),
  maxQueue: optional(integer({ flag: 'max-queue', group: 'Concurrency', help: 'Calls that may wait beyond what all threads can run', fallback: 0, fallbackText: 'max-concurrency' }, 0)),
  maxCallsPerWorker: optional(integer({ flag: 'max-calls-per-worker', group: 'Concurrency', help: 'Calls after which a thread is replaced', fallback: 0, fallbackText: 'never' }, 1)),
  idleTimeout: milliseconds({ flag: 'idle-timeout', group: 'Time', help: 'How long a thread above min-threads may idle', fallback: 60_000 }, 1),
  defaultTimeout: milliseconds({ flag: 'default-timeout', group: 'Time', help: 'The deadline of a call that names none', fallback: 120_000 }, 1),
  grace: milliseconds({ flag: 'grace', group: 'Time', help: "From a call's abort signal to the loss of its thread", fallback: 1_000 }, 0),
  drainTimeout: milliseconds({ flag: 'drain-timeout', group: 'Time', help: 'How long calls in flight may take after SIGTERM', fallback: 8_000 }, 0),
  drainDelay: milliseconds({ flag: 'drain-delay', group: 'Time', help: 'How long calls are still taken after SIGTERM, while /readyz already fails', fallback: 0 }, 0),
  maxRss: optional(integer({ flag: 'max-rss', group: 'Limits', help: 'Resident memory, in MiB, above which threads are replaced one by one', fallback: 0, fallbackText: 'none' }, 1)),
  maxStuckThreads: integer({ flag: 'max-stuck-threads', group: 'Limits', help: 'Threads that native code may hold before the service gives itself up', fallback: 4 }, 0),
  maxBody: integer({ flag: 'max-body', group: 'Limits', help: 'The largest request body, in bytes', fallback: 10 * 1024 * 1024 }, 1),
  envCheck: choice({ flag: 'env-check', env: 'KINDGI_PACK_ENV_CHECK', group: 'Environment', help: 'Whether a missing required name keeps the service unready', fallback: 'strict' }, ['strict', 'warn']),
  envFilter: choice({ flag: 'env-filter', env: 'KINDGI_PACK_ENV_FILTER', group: 'Environment', help: 'Whether pack code gets only declared and platform names', fallback: 'on' }, ['on', 'off']),
  // Not a KINDGI_ name: those reach pack code, and the URL of a database may hold its password.
  journal: optional(text({ flag: 'journal', env: 'PACKHOST_JOURNAL', group: 'Journal', help: 'The log that answered calls are journalled in: sqlite:FILE or postgres://…', fallback: '', fallbackText: 'none' })),
  journalPayloads: choice({ flag: 'journal-payloads', group: 'Journal', help: 'How inputs and outputs are journalled', fallback: 'hashes' }, ['hashes', 'whole']),
  journalRequired: choice({ flag: 'journal-required', group: 'Journal', help: 'Whether the service is unready while its journal has not all of the calls', fallback: 'no' }, ['no', 'yes']),
  logLevel: choice({ flag: 'log-level', env: 'KINDGI_LOG_LEVEL', group: 'Logging', help: 'The least severe level to write', fallback: 'info' }, logLevels),
  logFormat: choice({ flag: 'log-format', env: 'KINDGI_LOG_FORMAT', group: 'Logging', help: 'auto: JSON unless stderr is a terminal', fallback: 'auto' }, ['auto', 'json', 'pretty']),
  logBuffer: integer({ flag: 'log-buffer', group: 'Logging', help: 'How many bytes of records may wait for a stderr that does not take them', fallback: defaultBufferBytes }, 0),
} as const;

type SettingTable = typeof settingTable;
export type SettingName = keyof SettingTable;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
type Values = { readonly [Name in SettingName]: ValueOf<SettingTable[Name]> };

/** Any of the settings; one that is left out has its default. */
export type SettingOptions = { readonly [Name in SettingName]?: Exclude<Values[Name], undefined> };

/** All settings, checked, with every default filled in; times in milliseconds. */
export type Settings = Readonly<Omit<Values, 'minThreads' | 'maxThreads' | 'maxQueue' | 'maxCallsPerWorker' | 'maxRss'>> & {
  readonly token: string;
  readonly minThreads: number;
  readonly maxThreads: number;
  readonly maxQueue: number;
  readonly maxCallsPerWorker: number;
  readonly maxRss: number;
};

/** A value as it was given, and under which name: what a problem is reported by. */
export interface Given {
  readonly value: unknown;
  readonly from: string;
}

/** Settings that cannot be used, with every problem found. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are invalid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/**
 * Checks what was given and fills in the defaults. `knownProblems` are reported together with those
 * found here. Throws InvalidSettings.
 */
export function checkSettings(given: (name: SettingName) => Given | undefined, token: Given, knownProblems: readonly string[] = []): Settings {
  const problems = [...knownProblems];
  const named = new Map<SettingName, string>();
  const readOne = (name: SettingName): unknown => {
    const setting: Setting<unknown> = settingTable[name];
    const one = given(name);
    named.set(name, one?.from ?? `--${setting.flag}`);
    if (one === undefined) return setting.fallback;
    const read = setting.read(one.value);
    if ('value' in read) return read.value;
    problems.push(`${one.from}: ${read.problem}, not ${show(one.value)}`);
    return setting.fallback;
  };
  const names = Object.keys(settingTable) as SettingName[];
  const values = Object.fromEntries(names.map((name) => [name, readOne(name)])) as unknown as Values;
  const settings = withDefaults(values, checkToken(token, problems));
  if (settings.minThreads > settings.maxThreads) {
    const limit = values.maxThreads === undefined ? 'maxConcurrency' : 'maxThreads';
    problems.push(`${named.get('minThreads')}: ${settings.minThreads} is more than ${named.get(limit)} allows (${settings.maxThreads})`);
  }
  if (problems.length > 0) throw new InvalidSettings(problems);
  return Object.freeze(settings);
}

function withDefaults(values: Values, token: string): Settings {
  const maxThreads = values.maxThreads ?? values.maxConcurrency;
  return {
    ...values,
    token,
    index: resolve(values.index),
    moduleRoot: values.moduleRoot === undefined ? undefined : resolve(values.moduleRoot),
    bundleMap: values.bundleMap === undefined ? undefined : resolve(values.bundleMap),
    maxThreads,
    minThreads: values.minThreads ?? Math.min(availableParallelism(), maxThreads),
    maxQueue: values.maxQueue ?? values.maxConcurrency,
    maxCallsPerWorker: values.maxCallsPerWorker ?? Infinity,
    maxRss: values.maxRss ?? Infinity,
  };
}

/** A header can carry visible ASCII; the value itself is never repeated. */
function checkToken({ value, from }: Given, problems: string[]): string {
  const token = typeof value === 'string' ? value.trim() : '';
  if (token === '') problems.push(`${from}: a token is required`);
  else if (!/^[\x21-\x7e]+$/.test(token)) problems.push(`${from}: a token must be visible ASCII without spaces, or no header can carry it`);
  return token;
}

type Description<T> = Omit<Setting<T>, 'read'>;

/** The environment twin of a flag is its name in capitals, unless another is given. */
function setting<T>(description: Description<T>, read: Read<T>): Setting<T> {
  const { flag, group } = description;
  const twin = group === 'Address' || flag === 'module-root' || flag === 'bundle-map' ? {} : { env: prefix + flag.toUpperCase().replaceAll('-', '_') };
  return { ...twin, ...description, read };
}

function text(description: Description<string>): Setting<string> {
  return setting(description, (given) => (typeof given === 'string' && given !== '' ? { value: given } : { problem: 'must be text that is not empty' }));
}

function integer(description: Description<number>, least: number, most = Number.MAX_SAFE_INTEGER): Setting<number> {
  const range = most === Number.MAX_SAFE_INTEGER ? `a whole number of at least ${least}` : `a whole number from ${least} to ${most}`;
  return setting(description, (given) => {
    const value = typeof given === 'string' && /^[0-9]+$/.test(given.trim()) ? Number(given) : given;
    return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? { value } : { problem: `must be ${range}` };
  });
}

function milliseconds(description: Description<number>, least: number): Setting<number> {
  return integer({ ...description, help: `${description.help}, in milliseconds` }, least, longestTimerMs);
}

function choice<const T extends string>(description: Omit<Description<T>, 'fallback'> & { readonly fallback: NoInfer<T> }, choices: readonly T[]): Setting<T> {
  return setting<T>({ ...description, help: `${description.help} (${choices.join(', ')})` }, (given) => {
    const value = choices.find((each) => each === given);
    return value === undefined ? { problem: `must be one of ${choices.join(', ')}` } : { value };
  });
}

/** A setting whose default follows from others, or that can be absent. */
function optional<T>(inner: Setting<T>): Setting<T | undefined> {
  return { ...inner, fallback: undefined };
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 80)}"` : String(value);
}
