import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { outputOf, verdictOf } from '../answers.js';
import { problemNaming, problemsOf } from '../boot-problems.js';
import { checkCall, launch, serve, toolCall } from '../running-service.js';
import { answeringModule, guardrailEntry, indexOf, passingModule, temporaryPack, toolEntry } from '../temporary-pack.js';

const index = indexOf({ tools: [toolEntry('tool', 'src/tool.ts')], guardrails: [guardrailEntry('check', 'src/check.ts')] });
const bundles = { 'bundled/a1.mjs': answeringModule, 'bundled/b2.mjs': passingModule };

t.test('a bundle map leads from the source paths of the index to the bundles', async (t) => {
  const pack = temporaryPack(t, index, bundles);
  const map = join(pack, 'bundles.json');
  writeFileSync(map, JSON.stringify({ 'src/tool.ts': 'bundled/a1.mjs', 'src/check.ts': 'bundled/b2.mjs', 'src/unused.ts': 'bundled/none.mjs' }));
  const service = await serve(t, { pack, args: ['--bundle-map', map] });
  t.same(outputOf(await service.invoke(toolCall('tool'))), { answered: true });
  t.same(verdictOf(await service.invoke(checkCall('check'))), { passed: true });
});

t.test('a bundle that is missing or outside of the module root ends the start, by the name of its source', async (t) => {
  const pack = temporaryPack(t, index, bundles);
  const map = join(pack, 'bundles.json');
  writeFileSync(map, JSON.stringify({ 'src/tool.ts': 'bundled/gone.mjs', 'src/check.ts': '../outside.mjs' }));
  const problems = await problemsOf(t, 'boot-failed', { pack, args: ['--bundle-map', map] });
  problemNaming(t, problems, 'src/tool.ts');
  problemNaming(t, problems, 'src/check.ts');
});

t.test('a bundle map that cannot be read ends the start', async (t) => {
  const pack = temporaryPack(t, index, bundles);
  for (const text of [undefined, '{ nope', '{"src/tool.ts":7}']) {
    const map = join(pack, 'map.json');
    if (text !== undefined) writeFileSync(map, text);
    const service = launch(t, { pack, args: ['--bundle-map', map] });
    t.equal((await service.exited).code, 1);
    t.ok(service.stderr.some((line) => line.includes(map)), 'the file is named');
  }
});
