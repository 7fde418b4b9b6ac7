import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { childMarkName } from '../../src/isolation/children.js';
import type { NetworkPolicy } from '../../src/protocol/isolation.js';
import { NetworkDenied } from './network-denied.js';

interface SpawnOptions {
  envPairs?: string[];
}

type SyncCall = (...args: unknown[]) => unknown;

/**
 * Marks every process that this thread starts, so that it can be found and ended with the thread, and
 * counts them in shared memory, where the count can be read while this thread is busy. Under a network
 * policy they are refused: a process of its own would escape it.
 */
export function guardProcesses(policy: NetworkPolicy, mark: string, started: Int32Array, who: () => string): void {
  const admit = (): void => {
    if (policy.kind !== 'unrestricted') throw new NetworkDenied(`${who()} may not start a process, which would escape its network policy.`);
    Atomics.add(started, 0, 1);
  };
  // Every asynchronous way to start a process goes through this method.
  const prototype = ChildProcess.prototype as unknown as { spawn: (this: unknown, options: SpawnOptions) => unknown };
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    admit();
    return spawn.call(this, { ...options, envPairs: [...(options.envPairs ?? []), `${childMarkName}=${mark}`] });
  };
  const synchronous = childProcess as unknown as Record<'spawnSync' | 'execSync' | 'execFileSync', SyncCall>;
  for (const name of ['spawnSync', 'execSync', 'execFileSync'] as const) {
    const original = synchronous[name];
    synchronous[name] = (...args) => {
      admit();
      return original(...withMark(args, mark));
    };
  }
  syncBuiltinESMExports();
}

/** The options are the last argument, and may be left out. */
function withMark(args: readonly unknown[], mark: string): unknown[] {
  const last = args.at(-1);
  const given = typeof last === 'object' && last !== null && !Array.isArray(last) ? (last as { env?: object }) : undefined;
  const options = { ...given, env: { ...(given?.env ?? process.env), [childMarkName]: mark } };
  return [...(given === undefined ? args.filter((arg) => arg !== undefined) : args.slice(0, -1)), options];
}
