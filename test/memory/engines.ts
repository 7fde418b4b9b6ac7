/** What every memory has to do alike is asked of each engine. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Memory, type MemoryOptions, openMemory } from '../../src/memory/index.js';
import { temporaryFolder } from '../temporary-pack.js';
import { noPostgres, PostgresServer } from './postgres-server.js';

export interface Engine {
  readonly name: 'sqlite' | 'postgres' | ':memory:';
  /** The URL of an empty database. */
  readonly url: (t: Test) => Promise<string>;
}

const sqlite: Engine = { name: 'sqlite', url: async (t) => `sqlite:${join(temporaryFolder(t), 'memory.db')}` };
const inMemory: Engine = { name: ':memory:', url: async () => ':memory:' };

let server: Promise<PostgresServer> | undefined;
const postgres: Engine = {
  name: 'postgres',
  // What a crash of the machine does is the server's business; without its syncs the tests are faster.
  url: async () => (await (server ??= PostgresServer.start(t, ['fsync=off']))).schema(),
};

/** Runs a test on SQLite and on PostgreSQL, which is skipped where no server can be had. */
export function onEachEngine(title: string, test: (t: Test, engine: Engine) => Promise<void>, engines: readonly Engine[] = [sqlite, postgres]): void {
  for (const engine of engines) {
    t.test(`${title} (${engine.name})`, { skip: engine === postgres && noPostgres }, (t) => test(t, engine));
  }
}

export const everyEngine = [sqlite, inMemory, postgres];

/** An empty memory, closed with the test. */
export async function emptyMemory(t: Test, engine: Engine, options: MemoryOptions = {}): Promise<Memory> {
  return memoryAt(t, await engine.url(t), options);
}

export async function memoryAt(t: Test, url: string, options: MemoryOptions = {}): Promise<Memory> {
  const memory = await openMemory(url, options);
  t.teardown(() => memory.close());
  return memory;
}

/** Everything an async iterator has. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
