import type { RunTrace } from '../../guardrails/index.js';
import type { CheckAnswer, CombinedConfig, CombinedResult } from '../../threads/link/thread-pack.js';

/** What came of a check: its answer, or that no thread could run it. */
export type CheckOutcome = CheckAnswer | { readonly kind: 'not-run' };

/** Has a check run on a trace; never rejects. */
export type Invoke = (checkId: string, config: Readonly<Record<string, unknown>>, trace: RunTrace) => Promise<CheckOutcome>;

interface Asked {
  readonly checkId: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly resolve: (outcome: CheckOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes one call of all checks that are asked for on a trace in one go: for most checks, a thread's wake-up
 * and the reading of the trace cost more than the check does. Where that call fails, by its deadline or with
 * its thread, each check is called by itself, so that none is blamed for another.
 */
export function combining(invoke: Invoke, combinedId: string): Invoke {
  const gathered = new Map<RunTrace, Asked[]>();
  const flush = async (trace: RunTrace, asked: readonly Asked[]): Promise<void> => {
    const calls = asked.map(({ checkId, config }) => ({ checkId, config }));
    const combined = asked.length > 1 ? await invoke(combinedId, { calls } satisfies CombinedConfig, trace) : undefined;
    const answers = combined?.kind === 'check-result' ? (combined.result as CombinedResult).answers : [];
    await Promise.all(asked.map(async ({ checkId, config, resolve }, at) => resolve(answers[at] ?? (await invoke(checkId, config, trace)))));
  };
  return (checkId, config, trace) =>
    new Promise((resolve, reject) => {
      const asked = gathered.get(trace) ?? [];
      asked.push({ checkId, config, resolve, reject });
      if (asked.length > 1) return;
      gathered.set(trace, asked);
      queueMicrotask(() => {
        gathered.delete(trace);
        flush(trace, asked).catch((error: unknown) => {
          for (const { reject } of asked) reject(error);
        });
      });
    });
}
