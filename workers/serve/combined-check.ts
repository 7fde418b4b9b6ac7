import type { CheckAnswer, CombinedConfig, CombinedResult } from '../../src/threads/link/thread-pack.js';
import { parseJson, stringifyMessage } from './json.js';
import type { LoadedCheck } from '../load/loaded-pack.js';
import { judge } from './run-check.js';

/** A check that runs others, one after the other: each gets a trace of its own, which it may change. */
export function combinedCheck(id: string, checks: ReadonlyMap<string, LoadedCheck>): LoadedCheck {
  const run = async (config: unknown, trace: unknown, bindings: unknown): Promise<CombinedResult> => {
    // A trace is JSON, and parsing it again takes half of what structuredClone does, which sends it through a message port.
    const text = stringifyMessage(trace as object);
    const answers: CheckAnswer[] = [];
    for (const call of (config as CombinedConfig).calls) {
      const check = checks.get(call.checkId);
      if (check === undefined) throw new Error(`there is no check "${call.checkId}" here`);
      const judged = await judge(check, call.config, answers.length === 0 ? trace : parseJson(text), bindings);
      answers.push(judged.kind === 'error' ? judged : { kind: 'check-result', result: judged.value });
    }
    return { passed: true, answers };
  };
  return { id, evaluate: { call: run, owner: undefined }, validateConfig: undefined };
}
