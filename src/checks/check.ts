import type { Issue } from '../protocol/messages.js';

/** What a check says of a trace. */
export interface CheckVerdict {
  readonly passed: boolean;
  /** Why it failed: for logs, and for the model that is to try again. */
  readonly reason?: string;
  readonly judgeResponse?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** JSON Schema 2020-12 in few keywords: the SDK, which has no schema compiler, goes by them too. */
export interface ValueSchema {
  readonly type: ValueType | readonly ValueType[];
  readonly description?: string;
  readonly default?: unknown;
  /** Of a whole number. */
  readonly minimum?: number;
  /** Of text. */
  readonly minLength?: 1;
  readonly items?: ValueSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: false;
}

/** The types that a value of a config can be of. */
export type ValueType = 'string' | 'integer' | 'boolean' | 'array' | 'object';

/** A config's schema: each of its fields is described, and no other is allowed. */
export type ConfigSchema<Field extends PropertyKey> = ValueSchema & { readonly type: 'object'; readonly additionalProperties: false; readonly properties: Readonly<Record<Field, ValueSchema>> };

/** One of packhost's own checks. `Config` is what its schema lets through: no defaults are filled in. */
export interface BuiltInCheck<Config> {
  /** A pack may not ship a check of its own under it. */
  readonly id: string;
  readonly configSchema: ConfigSchema<keyof Config>;
  /** What is wrong with a config beyond what its schema says, which it may break. */
  issues?(config: { readonly [Name in keyof Config]?: unknown }): readonly Issue[];
  /** Whether it runs a pattern that may backtrack forever: then it must run where it can be ended. */
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

/** What keeps a pattern from being one; the issue says whether it is the flags or the pattern. */
export function patternIssues(at: string, pattern: unknown, flags: unknown = ''): readonly Issue[] {
  // Of another type they are the schema's concern.
  if (typeof pattern !== 'string' || typeof flags !== 'string') return [];
  const wrongFlags = problemOf('', flags);
  if (wrongFlags !== undefined) return [{ instancePath: '/flags', message: `must be flags of a regular expression: ${wrongFlags}` }];
  const wrongPattern = problemOf(pattern, flags);
  return wrongPattern === undefined ? [] : [{ instancePath: at, message: `must be a regular expression: ${wrongPattern}` }];
}

function problemOf(pattern: string, flags: string): string | undefined {
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
