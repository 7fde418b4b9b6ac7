import { once } from 'node:events';
import t from 'tap';
import { stripperPort } from '../../src/threads/host/type-stripper.js';
import type { StripAnswer, StripRequest } from '../../src/threads/link/type-stripping.js';

const isNative = Boolean((process.features as { typescript?: unknown }).typescript);

t.test('a pack without TypeScript gets no compiler', async (t) => {
  t.equal(stripperPort(['file:///pack/a.mjs', 'file:///pack/ts/b.js']), undefined);
});

t.test('types become spaces, and what is more than types is refused, for every thread that asks', { skip: isNative && 'Node strips types by itself' }, async (t) => {
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
