import type { Piece } from './trace-files.js';

const newline = 0x0a;

/** The lines of a file, each with its number, without those that are blank. Memory holds one line at a time. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let line = 1;
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      begun.push(chunk.subarray(start, end));
      yield { line, bytes: begun };
      begun = [];
      start = end + 1;
      line++;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
  yield { line, bytes: begun };
}
