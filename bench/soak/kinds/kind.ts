import type { Outcome } from '../outcomes.js';
import type { Draw } from '../random.js';

/** How a caller goes about its request. */
export type Conduct =
  | { readonly kind: 'polite' }
  /** Sends the whole request and closes the connection so long after. */
  | { readonly kind: 'hangs-up'; readonly afterMs: number }
  /** Sends half of the body and closes the connection so long after. */
  | { readonly kind: 'leaves-mid-body'; readonly afterMs: number }
  | { readonly kind: 'trickles'; readonly pieces: number; readonly gapMs: number }
  /** Does not say how long the body is. */
  | { readonly kind: 'chunked' };

/** The answers that are right for a call, beside a 503. */
export interface Expectation {
  /** The outcomes of a 200. */
  readonly outcomes: readonly Outcome[];
  /** The status, when that is not 200. */
  readonly status?: number;
  /** What the output of an `ok` holds beside the nonce. */
  readonly output?: Readonly<Record<string, unknown>>;
  /** What the cause of a `handler-throw` says. */
  readonly cause?: { readonly name?: string; readonly limit?: 'memMB' | 'cpuMs'; readonly carriesNonce?: boolean };
}

/** A protocol message. The ids come first, so that a message that is cut or spoilt further on still names its call. */
export type Message = Readonly<Record<string, unknown>>;

/** One call as its kind draws it; the plan gives it its time and its nonce. */
export interface Ask {
  readonly target: 'tool' | 'check';
  readonly id: string;
  /** The input or config; the nonce is added. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly deadlineMs?: number;
  readonly conduct: Conduct;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is sent in place of the message as JSON. */
  readonly body?: (message: Message) => string | Buffer;
  readonly expects: Expectation;
  /** The new call that follows when this one was hung up. */
  readonly retry?: Ask;
}

/** One sort of call. */
export interface Kind {
  readonly name: string;
  /** The calls of one arrival. */
  make(draw: Draw): readonly Ask[];
}

export const ok: Expectation = { outcomes: ['ok'] };

/** A polite call to a tool. */
export function toTool(id: string, input: Ask['input'], expects: Expectation, more: Partial<Ask> = {}): Ask {
  return { target: 'tool', id, input, conduct: { kind: 'polite' }, expects, ...more };
}
