import { type Draw, drawFrom } from '../random.js';
import { type Ask, type Kind, ok, toTool } from './kind.js';

export function echo(draw: Draw): Ask {
  const text = textOf(draw, 200);
  return toTool('soak.echo', { text }, { ...ok, output: { text } });
}

export const wait = (ms: number): Ask => toTool('soak.wait', { ms }, ok);

function check(draw: Draw): Ask {
  const least = draw.whole(1, 10);
  return { target: 'check', id: 'soak.check', input: { least }, conduct: { kind: 'polite' }, expects: { ...ok, output: { passed: true, least } } };
}

function large(draw: Draw): Ask {
  const text = textOf(draw, draw.whole(16, 384) * 1024);
  return toTool('soak.echo', { text }, { ...ok, output: { text } });
}

/** Kinds of well-behaved calls, each with how often it comes among a hundred of them. */
export const healthyKinds: readonly (Kind & { readonly share: number })[] = [
  { name: 'echo', share: 60, make: (draw) => [echo(draw)] },
  { name: 'wait', share: 15, make: (draw) => [wait(draw.whole(5, 150))] },
  { name: 'burn', share: 10, make: (draw) => [toTool('soak.burn', { turns: draw.whole(1, 8) * 500_000 }, ok)] },
  { name: 'check', share: 10, make: (draw) => [check(draw)] },
  { name: 'large', share: 5, make: (draw) => [large(draw)] },
];

const longest = 512 * 1024;
// Letters that JSON leaves alone, letters that it escapes, and UTF-8 of one to three bytes.
const letters = [...'abcdefghijklmnopqrstuvwxyz 0123456789"\\\n\u00e9\u2028'];

let source: string | undefined;

/** Text of so many characters: a piece of one long text, since drawing every letter would keep the callers busy. */
export function textOf(draw: Draw, characters: number): string {
  source ??= write(drawFrom(1));
  const start = draw.whole(0, source.length - characters);
  return source.slice(start, start + characters);
}

function write(draw: Draw): string {
  let text = '';
  while (text.length < longest) text += letters[draw.whole(0, letters.length - 1)] ?? '';
  return text;
}
