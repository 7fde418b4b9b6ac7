import type { ParseArgsConfig } from 'node:util';
import type { Memory, Selection } from '../../memory/index.js';

/** One command of `packhost memory`. */
export interface MemoryCommand {
  readonly summary: string;
  readonly usage: string;
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** How many arguments come after the memory. */
  readonly operands: number;
  /** Whether a memory that is not there is made. */
  readonly creates?: boolean;
  /** Answers the exit code. */
  run(call: Call): Promise<number>;
}

/** A command as it was called. */
export interface Call {
  readonly memory: Memory;
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
}

/** Arguments that a command cannot take. */
export class BadUsage extends Error {
  override readonly name = 'BadUsage';
}

/** The flags that say whose runs are meant. */
export const selectionOptions = { tenant: { type: 'string' }, run: { type: 'string' } } as const;

/** Everybody's without a tenant: who has the database has all of it. */
export function selectionOf({ tenant, run }: Call['flags']): Selection {
  if (typeof tenant !== 'string') {
    if (run !== undefined) throw new BadUsage('--run needs --tenant: a run is a tenant\'s');
    return 'all-tenants';
  }
  return typeof run === 'string' ? { tenantId: tenant, runId: run } : { tenantId: tenant };
}

/** A flag that is a whole number. */
export function countOf(flags: Call['flags'], name: string): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^[0-9]+$/.test(text)) throw new BadUsage(`--${name} must be a whole number, not ${String(text)}`);
  return Number(text);
}
