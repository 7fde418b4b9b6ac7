import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { stripperPort } from '../../src/threads/host/type-stripper.js';
import { nodeStripsTypes, type StripAnswer, type StripRequest } from '../../src/threads/link/type-stripping.js';
import { cannotLimit, runWithoutThreads } from '../limited-process.js';
import { temporaryFolder } from '../temporary-pack.js';

const skip = nodeStripsTypes && 'Node strips types by itself';

t.test('a pack without TypeScript gets no compiler', async (t) => {
  t.equal(stripperPort(['file:///pack/a.mjs', 'file:///pack/ts/b.js']), undefined);
});

t.test('types become spaces, and what is more than types is refused, for every thread that asks', { skip }, async (t) => {
  for (let thread = 0; thread < 2; thread++) {
    const port = stripperPort(['file:///pack/a.mts']);
    if (port === undefined) throw new Error('no port');
    const ask = async (request: StripRequest): Promise<StripAnswer> => {
      port.postMessage(request);
      return ((await once(port, 'message')) as [StripAnswer])[0];
    };
    const stripped = await ask({ id: 1, file: 'a.mts', source: 'const n: number = 1;' });
    t.strictSame(stripped, { kind: 'stripped', id: 1, code: 'const n         = 1;' });
    const refused = await ask({ id: 2, file: 'b.mts', source: 'enum E { A }' });
    t.match(refused, { kind: 'refused', id: 2, reason: /^b\.mts: .*enum/ });
    port.close();
  }
});

t.test('there is no port where the thread that strips types cannot start', { skip: skip || cannotLimit }, async (t) => {
  const source = `import { stripperPort } from '${new URL('../../src/threads/host/type-stripper.js', import.meta.url).href}';
console.log(stripperPort(['file:///pack/a.mts']));
`;
  t.equal(await runWithoutThreads(temporaryFolder(t), source), 'undefined\n');
});

t.test('a thread without a port strips types by itself', async (t) => {
  const folder = temporaryFolder(t);
  const url = pathToFileURL(join(folder, 'typed.mts')).href;
  writeFileSync(join(folder, 'typed.mts'), 'export const answer: number = 42;\n');
  const source = `import { parentPort } from 'node:worker_threads';
import { supportTypeScript } from '${new URL('../../workers/typescript/support.js', import.meta.url).href}';
supportTypeScript(['${url}'], undefined);
parentPort.postMessage((await import('${url}')).answer);
`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
  t.strictSame(await once(worker, 'message'), [42]);
});
