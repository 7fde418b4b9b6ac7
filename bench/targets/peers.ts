import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { handlerPath } from '../packs/write-pack.js';
import { peersFolder } from '../paths.js';
import { ServerProcess } from './server-process.js';
import { invokeBody, type Target } from './target.js';

/** A server that packhost is measured against: one small file in bench/peers, or a framework's command. */
export interface Peer {
  readonly name: string;
  /** The package to install first; a peer without one needs nothing. */
  readonly package?: string;
  /** What node runs, seen from bench/peers. */
  readonly args: readonly string[];
  readonly path: string;
  /** The bare floor answers with the request itself; every other peer with what the handler returned. */
  readonly answersWithRequest?: true;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bare `node:http`: what every ratio is taken against. */
export const floorName = 'node:http';

/** packhost without its threads: the other end of the price of isolation. */
export const inProcessName = 'packhost in process';

/** The pool that packhost is built on, with its own scheduling and none of packhost's guarantees. */
export const piscinaName = 'Piscina, one task a call';

export const peers: readonly Peer[] = [
  { name: floorName, args: ['node-http.mjs'], path: '/v1/invoke', answersWithRequest: true },
  { name: 'node:http + JSON', args: ['node-http-json.mjs'], path: '/v1/invoke' },
  { name: 'fastify', package: 'fastify', args: ['fastify.mjs'], path: '/v1/invoke' },
  {
    name: 'functions-framework',
    package: '@google-cloud/functions-framework',
    args: ['node_modules/.bin/functions-framework', '--target=bench', '--source=functions-framework.mjs'],
    path: '/v1/invoke',
  },
  { name: piscinaName, package: 'piscina', args: ['piscina.mjs'], path: '/v1/invoke' },
  { name: inProcessName, args: ['packhost-in-process.mjs'], path: '/v1/invoke', headers: { 'kindgi-pack-token': 'bench' } },
  { name: 'faas-js-runtime', package: 'faas-js-runtime', args: ['node_modules/.bin/faas-js-runtime', 'faas-js-runtime.mjs'], path: '/' },
];

/** The peer, hosting one handler. */
export function peerTarget(peer: Peer): Target {
  return {
    name: peer.name,
    async start(pack, tool) {
      const server = await ServerProcess.start({
        args: ['--import', './announce.mjs', ...peer.args],
        cwd: peersFolder,
        // FUNC_PORT is what faas-js-runtime reads its port from.
        env: { NODE_ENV: 'production', FUNC_PORT: '0', BENCH_HANDLER: handlerPath(pack, tool), BENCH_INDEX: pack.indexPath },
      });
      return {
        name: peer.name,
        server,
        answersWithRequest: peer.answersWithRequest === true,
        call: (id, input) => ({ method: 'POST', path: peer.path, headers: { 'content-type': 'application/json', ...peer.headers }, body: invokeBody(id, input) }),
      };
    },
  };
}

const manifest = (name: string): string => join(peersFolder, 'node_modules', name, 'package.json');

/** Installs the peers as their lock file has them, when one is missing. */
export function installPeers(peers: readonly Peer[]): void {
  if (peers.every((peer) => peer.package === undefined || existsSync(manifest(peer.package)))) return;
  // `npm run bench` passes the root's `engine-strict` on to this npm. `cookie`, which fastify brings, asks for Node.js 22 but works on 20.
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--no-engine-strict'], { cwd: peersFolder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('the peers could not be installed; --no-peers runs without them');
}

/** The version of each peer that has one. */
export function peerVersions(peers: readonly Peer[]): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const { package: name } of peers) {
    if (name === undefined) continue;
    const { version } = JSON.parse(readFileSync(manifest(name), 'utf8')) as { version: string };
    versions[name] = version;
  }
  return versions;
}
