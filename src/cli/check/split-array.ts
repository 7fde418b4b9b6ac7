import type { Piece } from './trace-files.js';

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const newline = 0x0a;
const byteOrderMark = [0xef, 0xbb, 0xbf];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;

/**
 * The items of a file that holds a JSON array, or the one value that it holds instead, each with the line
 * that it starts on. It finds where an item ends and leaves it to JSON.parse whether it is one, so that
 * memory holds one item at a time.
 */
export async function* splitArray(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let state: 'before' | 'in-array' | 'after-array' | 'one-value' = 'before';
  let line = 1;
  let itemLine = 1;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let items = 0;
  let begun: Buffer[] = [];
  let isBlank = true;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === newline) line++;
      if (state === 'before' && byteOrderMark.includes(byte)) continue;
      if (state === 'before' && byte === openBracket) {
        state = 'in-array';
        start = at + 1;
        continue;
      }
      if (isBlank && !isSpace(byte) && !(state === 'in-array' && depth === 0 && (byte === comma || byte === closeBracket))) {
        isBlank = false;
        itemLine = line;
        if (state === 'before') state = 'one-value';
      }
      if (state !== 'in-array') continue;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) inString = true;
      else if (byte === openBrace || byte === openBracket) depth++;
      else if (depth > 0 && (byte === closeBrace || byte === closeBracket)) depth--;
      else if (depth === 0 && (byte === comma || byte === closeBracket)) {
        begun.push(chunk.subarray(start, at));
        start = at + 1;
        if (byte === closeBracket) state = 'after-array';
        if (byte === comma || items > 0 || !isBlank) yield isBlank ? { line, problem: 'a comma without a trace' } : { line: itemLine, bytes: begun };
        items++;
        begun = [];
        isBlank = true;
      }
    }
    if (state !== 'before' && start < chunk.length) begun.push(chunk.subarray(start));
  }
  if (state === 'one-value') yield { line: itemLine, bytes: begun };
  else if (state === 'in-array') yield { line, problem: 'the array does not end' };
  else if (state === 'after-array' && !isBlank) yield { line: itemLine, problem: 'text after the end of the array' };
}
