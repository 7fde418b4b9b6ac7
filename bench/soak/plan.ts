import { healthyKinds } from './kinds/healthy.js';
import { hostileKinds, retryKind } from './kinds/index.js';
import type { Ask, Kind } from './kinds/kind.js';
import type { PlanOptions } from './options.js';
import { type Draw, drawFrom, mulberry32 } from './random.js';

/** A call with its time and its name. */
export interface PlannedCall {
  /** Its place in the plan, counted from 0. */
  readonly sequence: number;
  readonly nonce: string;
  readonly kind: string;
  /** When it is due, from the start of the run. */
  readonly atMs: number;
  readonly ask: Ask;
  /** The call that follows if this one is hung up; its place is taken in either case. */
  readonly retry?: PlannedCall;
}

/**
 * Draws every call of a run, one after another. Nothing here depends on how the service answers, so
 * that a seed gives the same calls at the same times on every machine.
 */
export function* plan({ seconds, rate, hostile, seed, maxConcurrency, without }: PlanOptions): Generator<PlannedCall> {
  const draw = drawFrom(seed);
  const deal = dealer(hostileKinds(maxConcurrency).filter((kind) => !without.includes(kind.name)), draw);
  let sequence = 0;
  const name = (kind: string, ask: Ask, atMs: number): PlannedCall => {
    const own = sequence++;
    const call = { sequence: own, nonce: nonceOf(seed, own), kind, atMs, ask };
    return ask.retry === undefined ? call : { ...call, retry: name(retryKind, ask.retry, atMs) };
  };
  for (let atMs = draw.gapMs(rate); atMs < seconds * 1000; atMs += draw.gapMs(rate)) {
    const kind = draw.next() < hostile ? deal() : healthy(draw);
    for (const ask of kind.make(draw)) yield name(kind.name, ask, atMs);
  }
}

function healthy(draw: Draw): Kind {
  let left = draw.next() * healthyKinds.reduce((sum, { share }) => sum + share, 0);
  for (const kind of healthyKinds) if ((left -= kind.share) < 0) return kind;
  throw new Error('the shares of the healthy kinds do not add up');
}

/** Deals from a shuffled deck, so that even a short run meets every kind. */
function dealer(kinds: readonly Kind[], draw: Draw): () => Kind {
  let deck: Kind[] = [];
  return () => {
    if (deck.length === 0) deck = draw.shuffled(kinds);
    const kind = deck.pop();
    if (kind === undefined) throw new Error('there are no kinds to deal');
    return kind;
  };
}

/**
 * What tells one call from every other: its place in the plan, and digits that follow from seed and
 * place. So whoever finds a nonce (in an answer, a record, a line of the ledger) knows whose it is and
 * that it is whole, without a list of all of them.
 */
export function nonceOf(seed: number, sequence: number): string {
  const digits = Math.floor(mulberry32(seed ^ Math.imul(sequence + 1, 0x9e3779b1))() * 2 ** 32);
  return `${sequence}.${digits.toString(16).padStart(8, '0')}`;
}

/** The place in the plan of the call whose nonce this is; undefined when it is nobody's. */
export function sequenceOf(seed: number, nonce: unknown): number | undefined {
  if (typeof nonce !== 'string') return undefined;
  const sequence = Number.parseInt(nonce, 10);
  return sequence >= 0 && nonceOf(seed, sequence) === nonce ? sequence : undefined;
}
