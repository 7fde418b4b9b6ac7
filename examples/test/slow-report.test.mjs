import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import slowReport from '../tools/slow-report.mjs';

/** A context whose log lines are kept, and acted on where a test wants to. */
function context({ signal = new AbortController().signal, onLine = () => {} } = {}) {
  const lines = [];
  const method = (level) => (fields, message) => {
    lines.push({ level, message, ...fields });
    onLine();
  };
  return { lines, abortSignal: signal, log: { info: method('info'), warn: method('warn') } };
}

describe('example.slow-report', () => {
  it('does every section and logs each', async () => {
    const run = context();
    const report = await slowReport.handler({ sections: ['one', 'two'], sectionMs: 0 }, run);
    assert.deepEqual(report, { finished: true, done: ['one', 'two'], remaining: [] });
    assert.deepEqual(run.lines, [
      { level: 'info', message: 'section done', section: 'one', done: 1, of: 2 },
      { level: 'info', message: 'section done', section: 'two', done: 2, of: 2 },
    ]);
  });

  it('stops at its signal, at once, and says what was done', { timeout: 20_000 }, async () => {
    const controller = new AbortController();
    const run = context({ signal: controller.signal, onLine: () => setImmediate(() => controller.abort()) });
    const report = slowReport.handler({ sections: ['one', 'two', 'three'], sectionMs: 200 }, run);
    assert.deepEqual(await report, { finished: false, done: ['one'], remaining: ['two', 'three'] });
    assert.deepEqual(run.lines.at(-1), { level: 'warn', message: 'report stopped', done: ['one'], remaining: ['two', 'three'] });
  });

  it('starts nothing when its signal has fired before', async () => {
    const run = context({ signal: AbortSignal.abort('cancelled') });
    const report = await slowReport.handler({ sections: ['one'], sectionMs: 60_000 }, run);
    assert.deepEqual(report, { finished: false, done: [], remaining: ['one'] });
  });
});
