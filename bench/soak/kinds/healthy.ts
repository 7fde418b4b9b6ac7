import type { Draw } from '../random.js';
import { type Ask, type Kind, ok, toTool } from './kind.js';
import { textOf } from './text.js';

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
