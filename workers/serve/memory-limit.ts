import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { heldBytesName } from '../../src/isolation/memory-probe.js';
import { type ErrorMessage, errorMessage } from '../../src/protocol/messages.js';
import type { CallTags } from '../../src/protocol/call-tags.js';

const mebibyte = 1024 * 1024;

/**
 * Knows what its thread holds, heap and buffers together: asked by the main thread while a call runs,
 * and at a call's answer, for one that was too quick to be asked about. Only what is left after a
 * collection counts against the limit.
 */
export class MemoryLimit {
  readonly #memMB: number;
  readonly #collectGarbage: () => void;

  constructor(memMB: number) {
    this.#memMB = memMB;
    // The collector is a function only where V8 was told so, which can be done late.
    setFlagsFromString('--expose-gc');
    this.#collectGarbage = runInNewContext('gc') as () => void;
    const held = (collected: boolean): number => {
      if (collected) this.#collectGarbage();
      return heldBytes();
    };
    Object.defineProperty(globalThis, heldBytesName, { value: held });
  }

  /** The error to answer a call with whose thread holds too much. */
  excess({ toolId, checkId }: CallTags): ErrorMessage | undefined {
    if (heldBytes() <= this.#memMB * mebibyte) return undefined;
    this.#collectGarbage();
    const used = Math.ceil(heldBytes() / mebibyte);
    if (used <= this.#memMB) return undefined;
    const name = toolId === undefined ? `Check "${checkId}"` : `Tool "${toolId}"`;
    const message = `${name} passed its limit of ${this.#memMB} memMB: it used ${used}.`;
    return errorMessage('handler-throw', message, { toolId, checkId, cause: { name: 'ResourceLimitExceeded', message, limit: 'memMB', value: this.#memMB, used } });
  }
}

function heldBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
