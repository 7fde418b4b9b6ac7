import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { outputOf } from '../answers.js';
import { checkCall, fixturePack, runToExit, serve, toolCall } from '../running-service.js';
import { deadline, failure, farDeadline } from './calls.js';

t.test('whatever a schema chooses among, the handler sees what the caller sent, plus defaults only (ajv-validator/ajv#129)', async (t) => {
  const service = await serve(t, { pack: 'chooses-among-inputs', args: ['--min-threads', '1', '--max-threads', '1'] });
  const seen = async (id: string, input: unknown) => outputOf(await service.invoke(toolCall(id, input), farDeadline));
  t.strictSame(await seen('any', { iban: 'DE00', extra: 1, nested: { a: [] } }), { iban: 'DE00', extra: 1, nested: { a: [] }, note: 'none' }, 'a branch that did not match leaves no trace');
  t.match(await seen('any', { iban: 'DE00', card: '1', note: 'mine' }), { iban: 'DE00', card: '1', note: 'mine' }, 'nothing that was sent is removed or replaced');
  t.notOk('left' in (await seen('one', { kind: 'b', more: true }) as object), 'no default of the branch that lost');
  t.match(await seen('one', { kind: 'b', more: true }), { kind: 'b', more: true });
  for (const input of [{ n: '5' }, { list: 'one' }, { flag: 'true' }]) failure(await service.invoke(toolCall('types', input), farDeadline), 'input-validation-failed');
  t.strictSame(await seen('nested', {}), { from: 'all', options: { loud: false } });
  t.strictSame(await seen('nested', { options: { loud: true, other: null } }), { from: 'all', options: { loud: true, other: null } });
});

t.test('a pattern that backtracks for ever is ended at the deadline of the one call it judges (ajv-validator/ajv#2586)', async (t) => {
  const service = await serve(t, { pack: 'has-a-slow-pattern', args: ['--min-threads', '2', '--max-threads', '2', '--grace', '100'] });
  const text = `${'a'.repeat(40)}!`;
  for (const message of [toolCall('input', { text }), toolCall('output', { text }), checkCall('config', { text })]) {
    let judging = true;
    const judged = service.invoke(message, deadline(1000)).finally(() => (judging = false));
    let meanwhile = 0;
    do {
      t.equal((await service.get('/healthz')).status, 200);
      if (judging) meanwhile++;
      await sleep(20);
    } while (judging);
    failure(await judged, 'deadline-exceeded');
    t.ok(meanwhile > 0, 'healthz was answered meanwhile');
    t.strictSame(outputOf(await service.invoke(toolCall('input', { text: 'aaa' }), farDeadline)), { text: 'aaa' });
  }
});

t.test('what a schema says beyond draft 2020-12 is served with a warning at boot that names the tool (modelcontextprotocol/typescript-sdk#1175)', async (t) => {
  const service = await serve(t, { pack: 'annotates-its-schemas', args: ['--min-threads', '2', '--max-threads', '2'] });
  const seen = async (id: string, input: unknown) => outputOf(await service.invoke(toolCall(id, input), farDeadline));
  const text = { text: 'abc-123' };
  for (const id of ['extension', 'format', 'draft-07', 'same-id-1', 'escape']) t.strictSame(await seen(id, text), text, id);
  t.strictSame(await seen('same-id-2', { number: 1 }), { number: 1 });
  failure(await service.invoke(toolCall('same-id-1', { number: 1 }), farDeadline), 'input-validation-failed');
  failure(await service.invoke(toolCall('same-id-2', text), farDeadline), 'input-validation-failed');
  failure(await service.invoke(toolCall('draft-07', {}), farDeadline), 'input-validation-failed');
  failure(await service.invoke(toolCall('escape', { text: 'abc' }), farDeadline), 'input-validation-failed');
  const warnings = service.records.filter((record) => record['level'] === 'warn' && record.kind !== 'call').map((record) => JSON.stringify(record));
  const expected: readonly (readonly [tool: string, what: string])[] = [['extension', 'x-order'], ['extension', 'x-widget'], ['format', 'licence-plate'], ['draft-07', 'draft-07'], ['escape', 'pattern']];
  for (const [tool, what] of expected) t.ok(warnings.some((warning) => warning.includes(tool) && warning.includes(what)), `${tool} is warned about for ${what}`);
  t.ok(warnings.some((warning) => warning.includes('same-id') && warning.includes('https://example.com/text')), 'an $id that stands twice is warned about');
  t.equal(new Set(warnings.map((warning) => warning.replace(/"time":"[^"]*"/, ''))).size, warnings.length, 'each once, however many threads compile it');
});

t.test('only a schema that cannot compile fails the boot, and all of them are named at once (modelcontextprotocol/typescript-sdk#1175)', async (t) => {
  const service = await runToExit(t, { pack: 'annotates-its-schemas', index: join(fixturePack('annotates-its-schemas'), 'does-not-compile.json') });
  t.equal(service.ended?.code, 1);
  const problems = (await service.recorded('boot-failed'))['problems'] as string[];
  for (const id of ['no-such-type', 'no-such-reference', 'no-such-pattern']) t.ok(problems.some((problem) => problem.includes(id)), `${id} in ${problems.join('; ')}`);
  t.notOk(problems.some((problem) => problem.includes('fine')));
});
