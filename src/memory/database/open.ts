import { MemoryError } from '../errors.js';
import type { Database } from './database.js';

/** How a database is opened. */
export interface OpenDatabase {
  /** Whether a database that is not there is made. */
  readonly create: boolean;
}

/** Opens `sqlite:FILE`, `:memory:` or `postgres://…`; an engine's package is loaded only by those who use it. */
export async function openDatabase(url: string, options: OpenDatabase): Promise<Database> {
  if (url === ':memory:' || url.startsWith('sqlite:')) {
    const file = url === ':memory:' ? url : url.slice('sqlite:'.length);
    if (file === '') throw new MemoryError('invalid-argument', 'sqlite: wants a file after the colon');
    return (await import('./sqlite.js')).openSqlite(file, options);
  }
  if (/^postgres(?:ql)?:\/\//.test(url)) return (await import('./postgres.js')).openPostgres(url, options);
  // The URL may hold a password: it is never repeated.
  throw new MemoryError('invalid-argument', 'A memory is opened by sqlite:FILE, postgres://… or :memory:');
}
