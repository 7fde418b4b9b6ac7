import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { peersFolder } from '../paths.js';
import type { Peer } from './peers.js';

const manifest = (name: string): string => join(peersFolder, 'node_modules', name, 'package.json');

/** Installs the peers as their lock file has them, when one is missing. */
export function installPeers(peers: readonly Peer[]): void {
  if (peers.every((peer) => peer.package === undefined || existsSync(manifest(peer.package)))) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: peersFolder, stdio: ['ignore', 'ignore', 'inherit'] });
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
