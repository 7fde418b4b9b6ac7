import type { BuiltInCheckId } from '../../protocol/built-in-checks.js';
import type { Issue } from '../../protocol/messages.js';

/** What a check says of a trace. */
export interface CheckVerdict {
  readonly passed: boolean;
  /** Why it failed: for logs, and for the model that is to try again. */
  readonly reason?: string;
  readonly judgeResponse?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** One of packhost's own checks. `Config` is what its schema lets through: no defaults are filled in. */
export interface BuiltInCheck<Config = never> {
  readonly id: BuiltInCheckId;
  /** JSON Schema 2020-12; unknown keys are refused. */
  readonly configSchema: Readonly<Record<string, unknown>>;
  /** What is wrong with a config beyond what its schema says, which it may break. */
  issues?(config: { readonly [Key in keyof Config]?: unknown }): readonly Issue[];
  /** Whether it runs a pattern that may backtrack for ever: then it must run where it can be ended. */
  mayHang(config: Config): boolean;
  /** Judges a trace by a valid config; throws a TypeError for what is no trace. */
  evaluate(config: Config, trace: unknown): CheckVerdict;
}

/** A verdict of words: passed, or the reason against it. */
export function verdict(reason: string | undefined, attributes: Readonly<Record<string, unknown>> = {}): CheckVerdict {
  return reason === undefined ? { passed: true, attributes } : { passed: false, reason, attributes };
}

/** Names for a reason: `"a", "b"`, at most ten of them. */
export function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name));
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}
