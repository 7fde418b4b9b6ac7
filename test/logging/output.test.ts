import t, { type Test } from 'tap';
import { until } from '../running-service.js';
import type { WriterOptions } from './output-writer.js';
import { type Collector, collectors, startWriter, type Writer } from './start-writer.js';

/** Four megabytes: more than any pipe or socket takes. Some lines are longer than what a pipe takes whole. */
const flood = Array.from({ length: 8_000 }, (_, line) => (line % 500 === 0 ? 10_000 : 500));
const floodBytes = flood.reduce((sum, length) => sum + length, 0);
const bufferBytes = 100_000;

const start = (t: Test, options: WriterOptions, collector: Collector): Writer => startWriter(t, './output-writer.js', options, collector);

/** The numbers of the lines, each of which must be whole, and the counts of those that were lost. */
function readLines(t: Test, lines: readonly string[], lengths: readonly number[]): { kept: number[]; lost: number[] } {
  const kept: number[] = [];
  const lost: number[] = [];
  for (const text of lines) {
    const record = JSON.parse(text) as { line?: number; lost?: number };
    if (record.lost !== undefined) lost.push(record.lost);
    if (record.line === undefined) continue;
    if (text.length + 1 !== lengths[record.line]) t.fail(`line ${record.line} has ${text.length + 1} bytes`);
    kept.push(record.line);
  }
  t.strictSame(kept, [...new Set(kept)].sort((a, b) => a - b), 'each is there once, in its order');
  return { kept, lost };
}

const bytesOf = (kept: readonly number[]): number => kept.reduce((sum, line) => sum + (flood[line] ?? 0), 0);

for (const collector of collectors) {
  t.test(`a writer goes on while the reader of ${collector} stalls; then what was kept arrives whole, and the rest counted`, async (t) => {
    const writer = start(t, { lines: flood, bufferBytes, flushMs: 30_000 }, collector);
    await writer.tells('written');
    await writer.turns(5);
    writer.end();
    const { kept, lost } = readLines(t, await writer.read(), flood);
    t.ok(bytesOf(kept) > bufferBytes, 'what the buffer holds arrives');
    t.ok(bytesOf(kept) < floodBytes / 2, 'the buffer is bounded');
    t.strictSame(lost, [flood.length - kept.length]);
    t.equal(await writer.exited, 0);
  });

  t.test(`the lost lines of ${collector} are counted as soon as its reader is back, not only at the end`, async (t) => {
    const writer = start(t, { lines: flood, bufferBytes: 0 }, collector);
    await writer.tells('written');
    const reading = writer.read();
    await until(() => writer.received.includes('"lost"'), 'the count of the lost lines');
    writer.end();
    const { kept, lost } = readLines(t, await reading, flood);
    t.strictSame(lost, [flood.length - kept.length]);
  });

  t.test(`a writer whose reader of ${collector} stalls can end in its own time`, async (t) => {
    const writer = start(t, { lines: flood, bufferBytes, flushMs: 100 }, collector);
    await writer.tells('written');
    writer.end();
    t.equal(await writer.exited, 0);
  });

  t.test(`a writer outlives its reader of ${collector}`, async (t) => {
    const writer = start(t, { lines: flood, bufferBytes, flushMs: 30_000 }, collector);
    await writer.tells('written');
    writer.stderr.destroy();
    await writer.turns(5);
    writer.end();
    t.equal(await writer.exited, 0);
  });

  t.test(`every line that the reader of ${collector} takes is out, though the writer is killed right after`, async (t) => {
    const lines = Array.from({ length: 100 }, () => 300);
    const writer = start(t, { lines, bufferBytes, killsItself: true }, collector);
    t.equal(readLines(t, await writer.read(), lines).kept.length, lines.length);
    t.equal(await writer.exited, 'SIGKILL');
  });

  t.test(`a thread that writes faster than the reader of ${collector} takes it waits, and loses nothing`, async (t) => {
    const writer = start(t, { lines: flood, bufferBytes: 0, patienceMs: 10_000 }, collector);
    const reading = writer.read(2);
    await writer.tells('written');
    writer.end();
    const { kept, lost } = readLines(t, await reading, flood);
    t.equal(kept.length, flood.length);
    t.strictSame(lost, []);
  });

  t.test(`a thread whose reader of ${collector} stalls goes on once its patience is over, and counts what it loses`, async (t) => {
    const writer = start(t, { lines: flood, bufferBytes, patienceMs: 200 }, collector);
    await writer.tells('written');
    const reading = writer.read();
    await until(() => writer.received.includes('"lost"'), 'the count of the lost lines');
    writer.end();
    const { kept, lost } = readLines(t, await reading, flood);
    t.ok(bytesOf(kept) > bufferBytes, 'what the buffer holds arrives');
    t.strictSame(lost, [flood.length - kept.length]);
  });

  t.test(`a thread that waits for the reader of ${collector} can be terminated`, async (t) => {
    const writer = start(t, { lines: flood, bufferBytes, patienceMs: 3_600_000 }, collector);
    await writer.tells('begins');
    await writer.turns(20);
    writer.end();
    t.equal(await writer.exited, 0);
    t.notOk(writer.told.includes('written'), 'it waited');
  });
}

t.test('whoever shares a pipe with a writer still finds it as it was', async (t) => {
  const writer = start(t, { lines: flood, bufferBytes }, 'a pipe');
  await writer.tells('turned');
  t.ok(writer.told.includes('for others, stderr blocks'));
});
