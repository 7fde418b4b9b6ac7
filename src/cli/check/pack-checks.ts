import { EvaluationFailure, type Guardrail, type RemoteCheck, type RunTrace } from '../../guardrails/index.js';
import { defaultBufferBytes } from '../../logging/output.js';
import { packEnvironment } from '../../packs/environment.js';
import type { Pack, ProfiledPack } from '../../packs/pack.js';
import type { PendingCall } from '../../threads/schedule/call.js';
import type { Dispatch } from '../../threads/schedule/dispatcher.js';
import { ServiceThreads, settingsOfACommand } from '../../threads/service-threads.js';
import type { CheckAnswer } from '../../threads/link/thread-pack.js';
import { type CheckOutcome, combining, type Invoke } from './combined-calls.js';
import { Slots } from './concurrency.js';

/** A pack's own checks, run as a service runs them: on its worker threads, held to their profiles. */
export interface PackChecks {
  readonly checks: Readonly<Record<string, RemoteCheck>>;
  /** Answers how many threads native code keeps from ending. */
  close(): Promise<{ readonly stuckThreads: number }>;
}

/** How many threads to run checks on, and how long each may take. */
export interface PackChecksOptions {
  readonly threads: number;
  readonly timeLimitMs: number;
}

/** No record of these calls is written, and nobody follows their trace. */
const noTrace = { traceId: '0'.repeat(32), spanId: '0'.repeat(16) };
const combinedPrefix = 'packhost check: ';
const decoder = new TextDecoder();
/** One check runs while the next is on its way: neither thread waits for the other. */
const slotsPerThread = 4;

/** Loads the modules of the checks that the guardrails need, and nothing else of the pack; throws BootError when they cannot be loaded. */
export async function startPackChecks(pack: Pack, guardrails: readonly Guardrail[], { threads, timeLimitMs }: PackChecksOptions): Promise<PackChecks> {
  const wanted = new Set(guardrails.filter(({ kind }) => kind === 'zero-llm').map(({ check }) => check));
  const [first, ...others] = pack.parts.map((part) => onlyChecks(part, wanted)).filter(({ threadPack }) => threadPack.checks.length > 0);
  if (first === undefined) return { checks: {}, close: async () => ({ stuckThreads: 0 }) };
  const parts = [first, ...others] as const;
  const maxThreads = Math.max(threads, parts.length);
  const checkThreads = new ServiceThreads({ ...settingsOfACommand, minThreads: threads, maxThreads }, () => {});
  const dispatch = await checkThreads.start({
    pack: { parts, schemas: pack.schemas },
    artifactVersion: pack.index.artifactVersion,
    environment: packEnvironment(process.env, pack.index, 'on').variables,
    log: { level: 'warn', format: 'json', bufferBytes: defaultBufferBytes },
  });
  const slots = new Slots(slotsPerThread * maxThreads);
  const invoke: Invoke = (checkId, config, trace) => slots.use(() => call(dispatch, checkId, config, trace, timeLimitMs));
  const checks = parts.flatMap(({ threadPack }) => {
    const combined = threadPack.checks.find(({ kind }) => kind === 'combined');
    const invokeAll = combined ? combining(invoke, combined.id) : invoke;
    return threadPack.checks.map(({ id }): [string, RemoteCheck] => [id, { call: async (config, trace) => resultOf(id, await invokeAll(id, config, trace)) }]);
  });
  return { checks: Object.fromEntries(checks), close: () => dispatch.close() };
}

function onlyChecks({ profile, threadPack }: ProfiledPack, wanted: ReadonlySet<string>): ProfiledPack {
  const checks = threadPack.checks.filter((check) => check.kind === 'pack').filter(({ id }) => wanted.has(id));
  const modules = threadPack.modules.filter(({ modulePath }) => checks.some((check) => check.modulePath === modulePath));
  // What a profile promises to a single call, its limits or a thread that ran nothing before, no combined call can keep.
  const isCombined = checks.length > 1 && profile.sandbox !== 'strict' && profile.memMB === undefined && profile.cpuMs === undefined;
  return { profile, threadPack: { tools: [], catalog: [], checks: isCombined ? [...checks, { kind: 'combined', id: `${combinedPrefix}${checks[0]?.id}` }] : checks, modules } };
}

async function call(dispatch: Dispatch, checkId: string, config: Readonly<Record<string, unknown>>, trace: RunTrace, timeLimitMs: number): Promise<CheckOutcome> {
  const body = `{"v":2,"kind":"check-invoke","check":{"id":${JSON.stringify(checkId)}},"config":${JSON.stringify(config)},"trace":${textOf(trace)}}`;
  const pending = dispatch.run({ body, tags: { checkId, ...noTrace }, version: undefined });
  const stopWatching = limitTime(pending, timeLimitMs);
  const outcome = await pending.outcome;
  stopWatching();
  if (outcome.kind === 'not-run') return outcome;
  return JSON.parse(typeof outcome.body === 'string' ? outcome.body : decoder.decode(outcome.body)) as CheckAnswer;
}

/** Ends a check that takes longer. Its time begins when its thread begins it: what waits for a slow one is not to blame. */
function limitTime(pending: PendingCall, limitMs: number): () => void {
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const beganAt = pending.beganAt();
    const leftMs = beganAt === undefined ? limitMs : beganAt + limitMs - performance.now();
    if (leftMs <= 0) pending.end('deadline-exceeded');
    else timer = setTimeout(look, leftMs);
  };
  timer = setTimeout(look, limitMs);
  return () => clearTimeout(timer);
}

function resultOf(checkId: string, answer: CheckOutcome): unknown {
  if (answer.kind === 'not-run') throw new EvaluationFailure('no-thread', `Check "${checkId}" did not run: no thread can start, or none can load the pack any more.`);
  if (answer.kind === 'check-result') return answer.result;
  const { code, message, issues, cause } = answer;
  throw new EvaluationFailure(code as EvaluationFailure['code'], message, { ...(issues ? { issues } : {}), ...(cause ? { thrown: cause } : {}) });
}

/** Guardrails judge the same trace one after the other: its text is made once. */
const texts = new WeakMap<RunTrace, string>();

function textOf(trace: RunTrace): string {
  const text = texts.get(trace) ?? JSON.stringify(trace);
  texts.set(trace, text);
  return text;
}
