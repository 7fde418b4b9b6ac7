import type { Writable } from 'node:stream';
import { once } from 'node:events';

/** A table for people: numbers to the right, and one line a row. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : plain(cell))))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const right = head.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  return cells.map((row) => row.map((cell, column) => (right[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join('  ').trimEnd() + '\n').join('');
}

/** Text from a memory is somebody else's: it must not move the terminal's cursor. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function print(text: string): void {
  process.stdout.write(text);
}

export function printJson(value: unknown): void {
  print(`${JSON.stringify(value)}\n`);
}

/** Writes lines as fast as they are taken, and holds none of them. */
export async function writeLines(lines: AsyncIterable<string>, to: Writable): Promise<number> {
  let count = 0;
  for await (const line of lines) {
    count++;
    if (!to.write(`${line}\n`)) await once(to, 'drain');
  }
  return count;
}

/** How far a long work has come, on a terminal only, ten times a second. */
export class Progress {
  readonly #what: string;
  readonly #total: number;
  #shownAt = 0;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  show(done: number): void {
    if (!process.stderr.isTTY || Date.now() - this.#shownAt < 100) return;
    this.#shownAt = Date.now();
    process.stderr.write(`\r\u001b[K${done.toLocaleString('en')} of ${this.#total.toLocaleString('en')} ${this.#what}`);
  }

  end(): void {
    if (process.stderr.isTTY && this.#shownAt > 0) process.stderr.write('\r\u001b[K');
  }
}
