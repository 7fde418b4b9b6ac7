/** A second way into a database, past the triggers that keep a log from being changed. */
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { Test } from 'tap';
import type { Engine } from './engines.js';

export interface Tampering {
  /** Runs one statement; `$1` stands for the first value. Answers its rows. */
  run(sql: string, ...values: (string | number | null)[]): Promise<Record<string, string | number | null>[]>;
}

const guarded = ['memory_log_update', 'memory_log_delete', 'memory_log_heads_back', 'memory_log_heads_delete'];

/** Takes the triggers away, as one who owns the database can. */
export async function tamperWith(t: Test, engine: Engine, url: string): Promise<Tampering> {
  const tampering = engine.name === 'postgres' ? await intoPostgres(t, url) : intoSqlite(t, url.slice('sqlite:'.length));
  for (const trigger of guarded) {
    const table = trigger.startsWith('memory_log_heads') ? 'memory_log_heads' : 'memory_log';
    await tampering.run(engine.name === 'postgres' ? `DROP TRIGGER ${trigger} ON ${table}` : `DROP TRIGGER ${trigger}`);
  }
  return tampering;
}

/** The same way in, with the triggers left in place. */
export async function wayInto(t: Test, engine: Engine, url: string): Promise<Tampering> {
  return engine.name === 'postgres' ? intoPostgres(t, url) : intoSqlite(t, url.slice('sqlite:'.length));
}

function intoSqlite(t: Test, file: string): Tampering {
  const database = new Sqlite(file);
  database.pragma('synchronous = OFF');
  t.teardown(() => void database.close());
  return {
    run: async (sql, ...values) => {
      const order: number[] = [];
      const statement = database.prepare<unknown[], Record<string, string | number | null>>(sql.replace(/\$(\d+)/g, (_, number: string) => (order.push(Number(number) - 1), '?')));
      const given = order.map((at) => values[at]);
      return statement.reader ? statement.all(...given) : (statement.run(...given), []);
    },
  };
}

async function intoPostgres(t: Test, url: string): Promise<Tampering> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  return { run: async (sql, ...values) => (await client.query<Record<string, string | number | null>>(sql, values)).rows };
}
