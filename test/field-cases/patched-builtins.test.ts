import t from 'tap';
import { outputOf } from '../answers.js';
import { type RunningService, serve, toolCall } from '../running-service.js';
import { failure, farDeadline } from './calls.js';

const threadOf = async (service: RunningService) => (outputOf(await service.invoke(toolCall('thread'), farDeadline)) as { threadId: number }).threadId;

t.test('a handler that patches what everything uses changes no byte of other answers, and its thread is retired (n8n-io/n8n#12588)', async (t) => {
  const service = await serve(t, { pack: 'patches-builtins', args: ['--min-threads', '1', '--max-threads', '1'] });
  const bytes = async () => {
    const good = await service.invoke(toolCall('greet', { name: 'you' }), farDeadline);
    const badInput = await service.invoke(toolCall('greet', { name: '', tags: [1] }), farDeadline);
    const thrown = failure(await service.invoke(toolCall('throws'), farDeadline), 'handler-throw');
    return { good: good.text, badInput: badInput.text, thrown: { ...thrown.cause, stack: undefined } };
  };
  const untouched = await bytes();
  t.match(untouched, { good: /"text":"Hello you"/, badInput: /input-validation-failed/, thrown: { name: 'TypeError', code: 'E_PLAIN' } });
  const patches = ['JSON.stringify', 'JSON.parse', 'JSON itself', 'Object.prototype', 'Object.prototype.toJSON', 'Object.keys', 'Array.prototype', 'Array.prototype.toJSON', 'Array.prototype.push',
    'Array.isArray', 'Date.prototype.toJSON', 'RegExp.prototype.test', 'Map.prototype.get'];
  for (const what of patches) {
    const before = await threadOf(service);
    const patched = await service.invoke(toolCall('patch', { what }), farDeadline);
    t.match(patched, { status: 200, body: { v: 2, kind: /^(result|error)$/ } }, `the patching call itself is answered: ${what}`);
    t.strictSame(await bytes(), untouched, `after ${what}`);
    // This one packhost takes away itself, to write the error that the patched output comes to: the thread is clean again.
    if (what !== 'Object.prototype.toJSON') t.not(await threadOf(service), before, `the thread is retired after ${what}`);
  }
});

t.test('a patch that comes after its call does not change the answer of the call that runs then (n8n-io/n8n#12588)', async (t) => {
  const service = await serve(t, { pack: 'patches-builtins', args: ['--min-threads', '1', '--max-threads', '1'] });
  const untouched = (await service.invoke(toolCall('greet', { name: 'you', ms: 100 }), farDeadline)).text;
  for (const what of ['JSON.stringify', 'JSON.parse', 'JSON itself', 'Array.prototype.push', 'Object.keys', 'Map.prototype.get']) {
    outputOf(await service.invoke(toolCall('patch', { what, laterMs: 20 }), farDeadline));
    t.equal((await service.invoke(toolCall('greet', { name: 'you', ms: 100 }), farDeadline)).text, untouched, what);
  }
});

t.test('moment, lodash, pg and a polyfill work, and keep their thread (n8n-io/n8n#12588)', async (t) => {
  const service = await serve(t, { pack: 'loads-known-packages', args: ['--min-threads', '1', '--max-threads', '1'] });
  const first = outputOf(await service.invoke(toolCall('use'), farDeadline));
  t.match(first, { lodash: [2, 4, 6], moment: '{"on":"1970-01-01T00:00:00.000Z"}', pg: 'ECONNREFUSED', polyfill: 2 });
  for (let call = 0; call < 10; call++) t.strictSame(outputOf(await service.invoke(toolCall('use'), farDeadline)), first);
});
