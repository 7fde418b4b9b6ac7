import { maxBodyBytes } from '../flags.js';
import type { Outcome } from '../outcomes.js';
import type { Draw } from '../random.js';
import { echo, wait } from './healthy.js';
import { type Ask, type Expectation, type Kind, type Message, ok, toTool } from './kind.js';

const answers = (...outcomes: Outcome[]): Expectation => ({ outcomes });
const refuses = (status: number): Expectation => ({ outcomes: [], status });
/** A call that is hung up has no answer, unless that came first. */
const hangUp = (ask: Ask, afterMs: number): Ask => ({ ...ask, conduct: { kind: 'hangs-up', afterMs } });

/** Spoils the message, and says how the service has to take it. */
const malformed: readonly [Partial<Ask>, ...Partial<Ask>[]] = [
  { body: (message) => JSON.stringify(message).slice(0, -20), expects: answers('malformed-message') },
  { body: (message) => Buffer.concat([Buffer.from(JSON.stringify(message)), Buffer.from([0xff, 0xfe])]), expects: answers('malformed-message') },
  { body: (message) => JSON.stringify({ ...message, v: 3 }), expects: answers('unknown-protocol-version') },
  { body: (message) => JSON.stringify({ ...message, kind: 'ask' }), expects: answers('unexpected-message-kind') },
  { body: (message) => JSON.stringify({ ...message, tool: { id: 'soak.echo', version: '9.9.9' } }), expects: answers('tool-version-mismatch') },
  { body: (message) => JSON.stringify({ ...message, input: { text: 7 } }), expects: answers('input-validation-failed') },
];

/** Bodies from which nobody can tell whose they are. */
const unnamed: readonly [NonNullable<Ask['body']>, ...NonNullable<Ask['body']>[]] = [
  () => '',
  () => Buffer.from([0x5d, 0x5b, 0x80]),
  (message) => JSON.stringify({ ...message, ctx: { runId: 'soak' } }),
];

/** The kind whose calls have a record without ids. */
export const unnamedKind = 'malformed, unnamed';

function tooLarge(draw: Draw): Ask {
  const pad = (message: Message): string => JSON.stringify(message) + ' '.repeat(maxBodyBytes);
  return { ...echo(draw), body: pad, conduct: draw.oneOf([{ kind: 'polite' }, { kind: 'chunked' }]), expects: refuses(413) };
}

/** Seconds too slow: a service that a busy machine holds up reads what has come meanwhile as if it had come at once. */
function slowPastDeadline(draw: Draw): Ask {
  return { ...echo(draw), deadlineMs: draw.whole(100, 400), conduct: { kind: 'trickles', pieces: 6, gapMs: 700 }, expects: answers('deadline-exceeded') };
}

function turnedAway(draw: Draw): Ask {
  const wrong: Pick<Ask, 'headers' | 'expects'> = draw.oneOf([
    { headers: { 'content-type': 'text/plain' }, expects: refuses(415) },
    { headers: { 'kindgi-pack-token': 'not-the-token' }, expects: refuses(401) },
  ]);
  return { ...echo(draw), ...wrong };
}

/** Kinds of calls whose caller misbehaves; `maxConcurrency` is the service's cap. */
export const hostileCallers = (maxConcurrency: number): readonly Kind[] => [
  { name: 'hang-up', make: (draw) => [hangUp(wait(draw.whole(100, 2_000)), draw.whole(0, 100))] },
  { name: 'hang-up on a loop', make: (draw) => [hangUp({ ...toTool('soak.loop', {}, answers('deadline-exceeded')), deadlineMs: 400 }, draw.whole(0, 200))] },
  { name: 'cancel and retry', make: (draw) => [{ ...hangUp(wait(200), draw.whole(0, 60)), retry: echo(draw) }] },
  { name: 'gone mid-body', make: (draw) => [{ ...echo(draw), conduct: { kind: 'leaves-mid-body', afterMs: draw.whole(0, 50) } }] },
  { name: 'slow body', make: (draw) => [{ ...echo(draw), conduct: { kind: 'trickles', pieces: draw.whole(2, 10), gapMs: draw.whole(1, 50) } }] },
  { name: 'slow past deadline', make: (draw) => [slowPastDeadline(draw)] },
  { name: 'malformed', make: (draw) => [{ ...echo(draw), ...draw.oneOf(malformed) }] },
  { name: unnamedKind, make: (draw) => [{ ...echo(draw), body: draw.oneOf(unnamed), expects: answers('malformed-message') }] },
  { name: 'unknown tool', make: () => [toTool('soak.nobody', {}, answers('tool-not-in-pack'))] },
  { name: 'too large', make: (draw) => [tooLarge(draw)] },
  { name: 'turned away', make: (draw) => [turnedAway(draw)] },
  // A third more than the service takes at once: the ones too many get their 503.
  { name: 'burst', make: () => Array.from({ length: Math.ceil((maxConcurrency * 4) / 3) }, () => ({ ...wait(100), expects: ok })) },
];
