import { EvaluationFailure, type Guardrail, type RemoteCheck, type RunTrace } from '../../guardrails/index.js';
import { createLogger } from '../../logging/logger.js';
import { createRecords } from '../../logging/records.js';
import { packEnvironment } from '../../packs/environment.js';
import type { Pack, ProfiledPack } from '../../packs/pack.js';
import { type Dispatch, startDispatch } from '../../pool/dispatch.js';
import type { ErrorMessage } from '../../protocol/messages.js';
import { Slots } from './slots.js';

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
const decoder = new TextDecoder();

/** Loads the modules of the checks that the guardrails need, and nothing else of the pack; throws BootError when they cannot be loaded. */
export async function startPackChecks(pack: Pack, guardrails: readonly Guardrail[], { threads, timeLimitMs }: PackChecksOptions): Promise<PackChecks> {
  const wanted = new Set(guardrails.filter(({ kind }) => kind === 'zero-llm').map(({ check }) => check));
  const [first, ...others] = pack.parts.map((part) => onlyChecks(part, wanted)).filter(({ threadPack }) => threadPack.checks.length > 0);
  if (first === undefined) return { checks: {}, close: async () => ({ stuckThreads: 0 }) };
  const parts = [first, ...others] as const;
  const maxThreads = Math.max(threads, parts.length);
  const dispatch = await startDispatch(
    parts,
    {
      environment: packEnvironment(process.env, pack.index, 'on').variables,
      log: { level: 'warn', format: 'json' },
      minThreads: threads,
      maxThreads,
      callsPerWorker: 1,
      maxCallsPerWorker: Infinity,
      idleTimeoutMs: 60_000,
      bootTimeoutMs: 30_000,
      graceMs: 100,
      maxStuckThreads: Infinity,
      maxRssMb: Infinity,
      onUnusable: () => {},
    },
    createRecords(createLogger({ level: 'silent', format: 'json', subsystem: 'pack' })),
  );
  // A check's time begins when it has a thread, not when it starts to wait for one.
  const slots = new Slots(maxThreads);
  const ids = parts.flatMap(({ threadPack }) => threadPack.checks.map(({ id }) => id));
  const checks = ids.map((id): [string, RemoteCheck] => [id, { call: (config, trace) => slots.use(() => call(dispatch, id, config, trace, timeLimitMs)) }]);
  return { checks: Object.fromEntries(checks), close: () => dispatch.close() };
}

function onlyChecks({ profile, threadPack }: ProfiledPack, wanted: ReadonlySet<string>): ProfiledPack {
  const checks = threadPack.checks.filter((check) => check.kind === 'pack').filter(({ id }) => wanted.has(id));
  const modules = threadPack.modules.filter(({ modulePath }) => checks.some((check) => check.modulePath === modulePath));
  return { profile, threadPack: { tools: [], catalog: [], checks, modules } };
}

async function call(dispatch: Dispatch, checkId: string, config: Readonly<Record<string, unknown>>, trace: RunTrace, timeLimitMs: number): Promise<unknown> {
  const body = `{"v":2,"kind":"check-invoke","check":{"id":${JSON.stringify(checkId)}},"config":${JSON.stringify(config)},"trace":${textOf(trace)}}`;
  const pending = dispatch.run({ body, tags: { checkId, ...noTrace }, version: undefined });
  const deadline = setTimeout(() => pending.end('deadline-exceeded'), timeLimitMs);
  const outcome = await pending.outcome;
  clearTimeout(deadline);
  if (outcome.kind === 'not-run') throw new EvaluationFailure('handler-throw', `Check "${checkId}" did not run: no thread can load the pack any more.`);
  const text = typeof outcome.body === 'string' ? outcome.body : decoder.decode(outcome.body);
  const answer = JSON.parse(text) as { readonly kind: 'check-result'; readonly result: unknown } | ErrorMessage;
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
