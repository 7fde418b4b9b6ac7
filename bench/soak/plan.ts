import { hostileKinds, retryKind } from './kinds/index.js';
import { healthyKinds } from './kinds/healthy.js';
import type { Ask, Kind } from './kinds/kind.js';
import { nonceOf } from './nonces.js';
import type { PlanOptions } from './options.js';
import { type Draw, drawFrom } from './random.js';

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
