/** A piece of a file that should be a trace, as the bytes it came in; or what stands there instead. */
export type Piece = { readonly line: number; readonly bytes: readonly Buffer[] } | { readonly line: number; readonly problem: string };

const newline = 0x0a;
const [quote, comma, backslash, openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('",\\[]{}');
const spaces: readonly (number | undefined)[] = [...Buffer.from(' \n\r\t')];
const byteOrderMark: readonly (number | undefined)[] = [0xef, 0xbb, 0xbf];

/**
 * The items of a file that holds a JSON array, or the one value that it holds instead, each with the line
 * that it starts on. Memory holds one item at a time.
 */
export async function* splitArray(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  const splitter = new ArraySplitter();
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}

type State = 'before' | 'in-array' | 'after-array' | 'one-value';

/** Finds where the items of an array end, and leaves it to JSON.parse whether they are any. */
class ArraySplitter {
  #state: State = 'before';
  #line = 1;
  /** How many brackets and braces of the item are open. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  #followsComma = false;
  #item: Buffer[] = [];
  /** The line that the item starts on; undefined while it has only white space. */
  #itemLine: number | undefined;

  *push(chunk: Buffer): Generator<Piece> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === newline) this.#line++;
      if (this.#state === 'before') {
        this.#state = this.#begin(byte);
        start = this.#state === 'in-array' ? at + 1 : at;
      } else if (this.#state === 'in-array' && this.#endsItem(byte)) {
        this.#item.push(chunk.subarray(start, at));
        start = at + 1;
        yield* this.#takeItem(byte === comma);
      } else if (this.#itemLine === undefined && !spaces.includes(byte)) this.#itemLine = this.#line;
    }
    if (this.#state !== 'before') this.#item.push(chunk.subarray(start));
  }

  *end(): Generator<Piece> {
    if (this.#state === 'one-value') yield { line: this.#itemLine ?? 1, bytes: this.#item };
    if (this.#state === 'in-array') yield { line: this.#line, problem: 'the array does not end' };
    if (this.#state === 'after-array' && this.#itemLine !== undefined) yield { line: this.#itemLine, problem: 'text after the end of the array' };
  }

  #begin(byte: number | undefined): State {
    if (spaces.includes(byte) || byteOrderMark.includes(byte)) return 'before';
    if (byte === openBracket) return 'in-array';
    this.#itemLine = this.#line;
    return 'one-value';
  }

  /** Whether a byte is the comma or bracket after an item. */
  #endsItem(byte: number | undefined): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === backslash) this.#escaped = true;
      else if (byte === quote) this.#inString = false;
      return false;
    }
    if (this.#depth === 0 && (byte === comma || byte === closeBracket)) return true;
    if (byte === quote) this.#inString = true;
    else if (byte === openBrace || byte === openBracket) this.#depth++;
    else if (byte === closeBrace || byte === closeBracket) this.#depth = Math.max(0, this.#depth - 1);
    return false;
  }

  *#takeItem(isComma: boolean): Generator<Piece> {
    if (this.#itemLine !== undefined) yield { line: this.#itemLine, bytes: this.#item };
    else if (isComma || this.#followsComma) yield { line: this.#line, problem: 'a comma without a trace' };
    this.#followsComma = isComma;
    if (!isComma) this.#state = 'after-array';
    this.#item = [];
    this.#itemLine = undefined;
  }
}

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
