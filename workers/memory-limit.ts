import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ErrorMessage, errorMessage } from '../src/protocol/messages.js';
import type { CallTags } from '../src/protocol/threads.js';

const mebibyte = 1024 * 1024;

/**
 * Whether the thread holds more than its limit as a call answers: one that was too quick for the watch
 * on the main thread. Answers the error to send instead. Only what is left after a collection counts.
 */
export function memoryExcess(memMB: number, { toolId, checkId }: CallTags): ErrorMessage | undefined {
  if (heldBytes() <= memMB * mebibyte) return undefined;
  collectGarbage();
  const used = Math.ceil(heldBytes() / mebibyte);
  if (used <= memMB) return undefined;
  const name = toolId === undefined ? `Check "${checkId}"` : `Tool "${toolId}"`;
  const message = `${name} passed its limit of ${memMB} memMB: it used ${used}.`;
  return errorMessage('handler-throw', message, { toolId, checkId, cause: { name: 'ResourceLimitExceeded', message, limit: 'memMB', value: memMB, used } });
}

function heldBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

/** The collector is a function only where V8 was told so, which can be done late. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
