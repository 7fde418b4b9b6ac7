import t from 'tap';
import { outputOf } from '../answers.js';
import { checkCall, ids, serve, toolCall } from '../running-service.js';
import { farDeadline, named } from './calls.js';

/** What goes wrong after the answer, and how the record calls it. */
const faults: readonly (readonly [how: string, fault: string])[] = [
  ['an exception in a timer', 'exception'],
  ['an exception in an immediate', 'exception'],
  ['an error event without a listener', 'exception'],
  ['a rejection in a timer', 'rejection'],
  ['a rejection of nothing', 'rejection'],
  ['an async function nobody awaits', 'rejection'],
  ['an exit in a timer', 'exit'],
  ['an exit with code 0', 'exit'],
];

const service = await serve(t, { pack: 'faults-after-its-answer', args: ['--min-threads', '1', '--max-threads', '1'] });
const lateFaultsOf = (requestId: string) => service.records.filter((record) => record.kind === 'late-fault' && record['requestId'] === requestId);

t.test('what a call leaves behind goes wrong on record under its own ids, and never in the call that runs then (piscinajs/piscina#342)', async (t) => {
  for (const [how, fault] of faults) {
    t.strictSame(outputOf(await service.invoke(toolCall('fault-later', { how, ms: 30 }, named(how)), farDeadline)), { answered: true });
    const next = await service.invoke(toolCall('wait', { ms: 200, value: how }, named(`after ${how}`)), farDeadline);
    t.strictSame(outputOf(next), { value: how }, `the call after ${how} answers its own result`);
    t.match(await service.recorded('late-fault', (record) => record['requestId'] === how), { fault, toolId: 'fault-later', ...ids }, how);
    t.strictSame(lateFaultsOf(`after ${how}`), [], 'and is not blamed');
  }
});

t.test('an error after the answer is one record, and the service goes on (GoogleCloudPlatform/functions-framework-nodejs#32)', async (t) => {
  outputOf(await service.invoke(toolCall('fault-later', { how: 'an exception in a timer', ms: 10 }, named('after-its-answer')), farDeadline));
  await service.recorded('late-fault', (record) => record['requestId'] === 'after-its-answer');
  t.match(await service.invoke(checkCall('fault-later-check', { ms: 10 }), farDeadline), { body: { kind: 'check-result', result: { passed: true } } });
  t.match(await service.recorded('late-fault', (record) => record['checkId'] === 'fault-later-check'), { fault: 'exception', ...ids });
  t.strictSame(outputOf(await service.invoke(toolCall('echo', { still: 'here' }), farDeadline)), { still: 'here' });
  t.equal((await service.stop()).code, 0);
  t.equal(lateFaultsOf('after-its-answer').length, 1);
  t.equal(service.records.filter((record) => record.kind === 'late-fault').length, faults.length + 2, 'each fault is one record, the check included');
});
