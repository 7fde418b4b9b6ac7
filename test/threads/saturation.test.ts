import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { Saturation } from '../../src/threads/host/machine.js';

function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

t.test('a main thread that has had no time left says so', async (t) => {
  const saturation = new Saturation();
  spin(100);
  t.equal(saturation.isFull, true);
});

t.test('what was so long ago says nothing of now', async (t) => {
  const saturation = new Saturation();
  spin(100);
  t.equal(saturation.isFull, true);
  await wait(300);
  t.equal(saturation.isFull, false);
});
