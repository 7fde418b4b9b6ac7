import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { toolId, withPack } from '../../bench/packs/write-pack.js';
import { peersFolder, projectRoot } from '../../bench/paths.js';
import { proveCall } from '../../bench/targets/calibrate.js';
import { peers, peerTarget, piscinaName } from '../../bench/targets/peers.js';
import { withOne } from '../../bench/targets/target.js';

/** The version that a folder's lock file has of a package. */
function lockedVersion(folder: string, name: string): string | undefined {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: Record<string, { version: string }> };
  return packages[`node_modules/${name}`]?.version;
}

for (const name of ['piscina', 'ajv']) {
  t.test(`the Piscina peer has the ${name} that packhost has`, async (t) => {
    t.match(lockedVersion(peersFolder, name), /^\d/);
    t.equal(lockedVersion(peersFolder, name), lockedVersion(projectRoot, name));
  });
}

// Without an installation of the peers, it finds piscina and ajv where packhost has them.
t.test('the Piscina peer returns what the handler returned', async (t) => {
  const peer = peers.find(({ name }) => name === piscinaName);
  if (!peer) throw new Error(`expected a peer called "${piscinaName}"; add it to bench/targets/peers.ts`);
  const message = { text: 'hello' };
  await withPack([{ handler: 'echo' }], (pack) =>
    withOne(peerTarget(peer), pack, 'echo', async (running) => {
      const { expected } = await proveCall(running, toolId('echo'), message, message);
      t.same(JSON.parse(expected.toString('utf8')), { v: 2, kind: 'result', output: message });
    }));
});
