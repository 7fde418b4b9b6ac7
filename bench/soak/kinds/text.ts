import { type Draw, drawFrom } from '../random.js';

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
