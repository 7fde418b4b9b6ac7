import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { CallLedger, sequenceAfter } from '../../src/threads/link/call-ledger.js';

t.test('calls begin in the order of their sequences, each once', (t) => {
  const ledger = new CallLedger(CallLedger.memory());
  t.ok(ledger.claim(0));
  t.notOk(ledger.claim(0), 'not twice');
  t.notOk(ledger.claim(2), 'not before its turn');
  t.ok(ledger.claim(1));
  t.end();
});

t.test('it is known at any time how many of the calls posted have not begun, and how many run', (t) => {
  const ledger = new CallLedger(CallLedger.memory());
  const counts = (end: number): object => ({ unbegun: ledger.unbegun(end), running: ledger.running });
  t.strictSame(counts(3), { unbegun: 3, running: 0 });
  ledger.claim(0);
  ledger.claim(0);
  t.strictSame(counts(3), { unbegun: 2, running: 1 }, 'what could not be claimed does not run');
  ledger.claim(1);
  ledger.finish();
  t.strictSame(counts(3), { unbegun: 1, running: 1 });
  ledger.takeBack(3);
  ledger.finish();
  t.strictSame(counts(3), { unbegun: 0, running: 0 });
  t.end();
});

t.test('what was taken back cannot begin, and what is posted after it can', (t) => {
  const ledger = new CallLedger(CallLedger.memory());
  t.ok(ledger.claim(0));
  t.equal(ledger.takeBack(4), 1, 'the first that had not begun');
  for (const sequence of [1, 2, 3]) t.notOk(ledger.claim(sequence));
  t.ok(ledger.claim(4));
  t.equal(ledger.takeBack(5), 5, 'nothing was left to take');
  t.end();
});

t.test('sequences go round at the end of 32 bits', (t) => {
  const memory = CallLedger.memory();
  const ledger = new CallLedger(memory);
  ledger.takeBack(2 ** 31 - 1);
  t.ok(ledger.claim(2 ** 31 - 1));
  t.equal(ledger.unbegun(-(2 ** 31) + 2), 2);
  t.ok(ledger.claim(sequenceAfter(2 ** 31 - 1)));
  t.end();
});

t.test('two threads never both have a call, and none is lost between them', async (t) => {
  const calls = 200_000;
  const memory = CallLedger.memory();
  const posted = new Int32Array(new SharedArrayBuffer(4));
  const begun = new Uint8Array(new SharedArrayBuffer(calls));
  const source = `
    const { workerData: { module, memory, posted, begun } } = require('node:worker_threads');
    import(module).then(({ CallLedger }) => {
      const ledger = new CallLedger(memory);
      for (let sequence = 0; sequence < begun.length; sequence++) {
        while (Atomics.load(posted, 0) <= sequence);
        if (ledger.claim(sequence)) begun[sequence]++;
      }
    });`;
  const worker = new Worker(source, { eval: true, workerData: { module: new URL('../../src/threads/link/call-ledger.js', import.meta.url).href, memory, posted, begun } });
  const ended = once(worker, 'exit');
  const ledger = new CallLedger(memory);
  const taken = new Uint8Array(calls);
  for (let end = 0; end < calls; ) {
    end = Math.min(calls, end + 1 + Math.floor(Math.random() * 8));
    Atomics.store(posted, 0, end);
    // Now and then the thread gets to begin some, or all, before what is left is taken back.
    const patience = Math.random() < 0.1 ? Infinity : Math.random() * 200;
    for (let waited = 0; ledger.unbegun(end) > 0 && waited < patience; waited++);
    for (let sequence = ledger.takeBack(end); sequence < end; sequence++) taken[sequence] = 1;
  }
  await ended;
  const wrong = Array.from(taken.keys()).filter((sequence) => (taken[sequence] ?? 0) + (begun[sequence] ?? 0) !== 1);
  t.strictSame(wrong, [], 'each call is with exactly one side');
  const takenInAll = taken.reduce((sum, one) => sum + one, 0);
  t.ok(takenInAll > 0 && takenInAll < calls, `both had some: ${takenInAll} of ${calls} were taken back`);
});

t.test('how long a call takes is known once one is over, and follows those of late', async (t) => {
  const ledger = new CallLedger(CallLedger.memory());
  let sequence = 0;
  const call = async (ms: number): Promise<void> => {
    ledger.claim(sequence++);
    await sleep(ms);
    ledger.finish();
  };
  t.equal(ledger.averageMs, Infinity);
  await call(50);
  t.ok(ledger.averageMs >= 49, `${ledger.averageMs} ms after one of 50`);
  for (let count = 0; count < 50; count++) await call(0);
  t.ok(ledger.averageMs < 49, `${ledger.averageMs} ms after many short ones`);
});
