import t from 'tap';
import { outputOf, verdictOf } from '../answers.js';
import { checkCall, serve, toolCall } from '../running-service.js';

const service = await serve(t, { pack: 'exports-every-way' });
const from = async (id: string, extra: Record<string, unknown> = {}): Promise<unknown> => outputOf(await service.invoke(toolCall(id, {}, extra)))['from'];
const reason = async (id: string): Promise<unknown> => verdictOf(await service.invoke(checkCall(id)))['reason'];

t.test('a handler is a function at default, handler or run, or one inside of an object there', async (t) => {
  for (const id of ['default-function', 'default-object-handler', 'default-object-run', 'handler-function', 'run-function', 'handler-object', 'run-object', 'asynchronous']) {
    t.equal(await from(id), id);
  }
});

t.test('default is taken before handler and handler before run, and what holds no function is passed over', async (t) => {
  for (const id of ['default-before-handler', 'handler-before-run', 'default-without-function', 'default-of-text']) t.equal(await from(id), id);
});

t.test('a CommonJS module exports its handler in the same ways', async (t) => {
  for (const id of ['cjs-function', 'cjs-object', 'cjs-named']) t.equal(await from(id), id);
});

t.test('a definition whose id is the entry’s comes before anything else', async (t) => {
  for (const id of ['definition-over-default', 'several-a', 'several-b']) t.equal(await from(id), id);
});

t.test('a definition that has a version stands for that version alone', async (t) => {
  const version = (version: string): Promise<unknown> => from('versions', { tool: { id: 'versions', version } });
  t.equal(await version('1.0.0'), 'versions-1');
  t.equal(await version('2.0.0'), 'versions-2');
  t.equal(await version('3.0.0'), 'versions-other', 'which the handler beside them serves');
});

t.test('a definition may be wrapped as {kind: "ok", value}', async (t) => {
  for (const id of ['wrapped', 'wrapped-by-name']) t.equal(await from(id), id);
});

t.test('a check is an evaluate, a default or a check export, function or object', async (t) => {
  for (const id of ['check-evaluate', 'check-default-function', 'check-default-object', 'check-check-function', 'check-check-object']) t.equal(await reason(id), id);
});

t.test('a guardrail definition carries its check, and several may share a module', async (t) => {
  for (const id of ['check-guardrail', 'several-checks-a', 'several-checks-b']) t.equal(await reason(id), id);
});
