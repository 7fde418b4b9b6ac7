import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { Claims, sequenceAfter } from '../../src/protocol/claims.js';

t.test('calls begin in the order of their sequences, each once', (t) => {
  const claims = new Claims(Claims.memory());
  t.ok(claims.claim(0));
  t.notOk(claims.claim(0), 'not twice');
  t.notOk(claims.claim(2), 'not before its turn');
  t.ok(claims.claim(1));
  t.equal(claims.next, 2);
  t.end();
});

t.test('what was taken back cannot begin, and what is posted after it can', (t) => {
  const claims = new Claims(Claims.memory());
  t.ok(claims.claim(0));
  t.equal(claims.takeBack(4), 1, 'the first that had not begun');
  for (const sequence of [1, 2, 3]) t.notOk(claims.claim(sequence));
  t.ok(claims.claim(4));
  t.equal(claims.takeBack(5), 5, 'nothing was left to take');
  t.end();
});

t.test('sequences go round at the end of 32 bits', (t) => {
  const memory = Claims.memory();
  const claims = new Claims(memory);
  claims.takeBack(2 ** 31 - 1);
  t.ok(claims.claim(2 ** 31 - 1));
  t.equal(claims.next, -(2 ** 31));
  t.ok(claims.claim(sequenceAfter(2 ** 31 - 1)));
  t.end();
});

t.test('two threads never both have a call, and none is lost between them', async (t) => {
  const calls = 200_000;
  const memory = Claims.memory();
  const posted = new Int32Array(new SharedArrayBuffer(4));
  const begun = new Uint8Array(new SharedArrayBuffer(calls));
  const source = `
    const { workerData: { module, memory, posted, begun } } = require('node:worker_threads');
    import(module).then(({ Claims }) => {
      const claims = new Claims(memory);
      for (let sequence = 0; sequence < begun.length; sequence++) {
        while (Atomics.load(posted, 0) <= sequence);
        if (claims.claim(sequence)) begun[sequence]++;
      }
    });`;
  const worker = new Worker(source, { eval: true, workerData: { module: new URL('../../src/protocol/claims.js', import.meta.url).href, memory, posted, begun } });
  const ended = once(worker, 'exit');
  const claims = new Claims(memory);
  const taken = new Uint8Array(calls);
  for (let end = 0; end < calls; ) {
    end = Math.min(calls, end + 1 + Math.floor(Math.random() * 8));
    Atomics.store(posted, 0, end);
    // Now and then the thread gets to begin some, or all, before what is left is taken back.
    const patience = Math.random() < 0.1 ? Infinity : Math.random() * 200;
    for (let waited = 0; claims.next < end && waited < patience; waited++);
    for (let sequence = claims.takeBack(end); sequence < end; sequence++) taken[sequence] = 1;
  }
  await ended;
  const wrong = Array.from(taken.keys()).filter((sequence) => (taken[sequence] ?? 0) + (begun[sequence] ?? 0) !== 1);
  t.strictSame(wrong, [], 'each call is with exactly one side');
  const takenInAll = taken.reduce((sum, one) => sum + one, 0);
  t.ok(takenInAll > 0 && takenInAll < calls, `both had some: ${takenInAll} of ${calls} were taken back`);
});
