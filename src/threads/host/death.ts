import type { Cause } from '../../protocol/messages.js';

/** Why a thread died, as the cause its calls answer with. */
export function deathOf(error: unknown, memMB: number | undefined): Cause {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { name: 'ResourceLimitExceeded', message: error.message, limit: 'memMB', ...(memMB === undefined ? {} : { value: memMB, used: memMB }) };
  }
  return { name: 'WorkerExited', message: error instanceof Error ? error.message : 'the thread was terminated' };
}
