import type { MessagePort } from 'node:worker_threads';
import type { CallLedger } from '../../src/threads/link/call-ledger.js';
import { errorMessage } from '../../src/protocol/messages.js';
import { parseRequest } from '../../src/protocol/parse-request.js';
import type { FromWorker, MessageBody, PostedCall, ToWorker } from '../../src/threads/link/messages.js';
import { Call } from './call.js';
import type { CallLog } from './call-log.js';
import { CallQueue } from './call-queue.js';
import type { Cleanliness } from '../guards/cleanliness.js';
import type { FaultGuard } from '../guards/faults.js';
import { parseJson, stringifyMessage } from './json.js';
import type { MemoryLimit } from './memory-limit.js';
import type { LoadedPack } from '../load/loaded-pack.js';
import { runCheck } from './run-check.js';
import { runTool } from './run-tool.js';
import { causeOf, messageOf } from '../../src/protocol/thrown.js';

/** What a thread's calls run with. */
export interface CallSurroundings {
  readonly post: (message: FromWorker, transfer?: ArrayBuffer[]) => void;
  readonly ledger: CallLedger;
  /** How many calls run at once; those posted beyond wait for their turn. */
  readonly callsAtOnce: number;
  readonly faults: FaultGuard;
  readonly log: CallLog;
  /** Absent where calls may share the thread, or it ends after each. */
  readonly cleanliness: Cleanliness | undefined;
  readonly memoryLimit: MemoryLimit | undefined;
}

// Taken before any pack code runs, which may replace them.
const soon = setImmediate;
const { TextDecoder: Decoder } = globalThis;

/** Runs the calls that arrive on a port, in their order, and tells those that are over for their caller so. */
export class CallServer {
  readonly #pack: LoadedPack;
  readonly #surroundings: CallSurroundings;
  /** By sequence: an object, since pack code may have replaced what arrays and maps do. */
  readonly #running = Object.create(null) as Record<number, Call>;
  #runs = 0;
  readonly #ahead = new CallQueue();
  /** Turns asked for that have not come yet. */
  #turns = 0;
  readonly #takeTurn = (): void => {
    this.#turns--;
    this.#beginNext();
  };
  #spent = false;

  constructor(pack: LoadedPack, port: MessagePort, surroundings: CallSurroundings) {
    this.#pack = pack;
    this.#surroundings = surroundings;
    port.on('message', (message: ToWorker) => {
      if (message.kind === 'cancel') return this.#cancel(message);
      if (message.kind === 'ping') return surroundings.post({ kind: 'pong' });
      const { calls } = message;
      for (let at = 0; at < calls.length; at++) this.#ahead.add(calls[at] as PostedCall);
      this.#beginNext();
      this.#askForTurns();
    });
  }

  /** Begins no further call: nobody can vouch for the thread any more. The main thread takes back what waits. */
  spend(): void {
    this.#spent = true;
  }

  #beginNext(): void {
    const { ledger, callsAtOnce } = this.#surroundings;
    while (!this.#spent && this.#runs < callsAtOnce) {
      const posted = this.#ahead.take();
      if (posted === undefined) return;
      if (ledger.claim(posted.sequence)) this.#begin(posted);
    }
  }

  /**
   * A turn for each call that waits: what a call has put off (ticks, promises, rejections) comes before the
   * next. Asked for together, they come in one round of the event loop, and each round is a system call.
   */
  #askForTurns(): void {
    for (; this.#turns < this.#ahead.size; this.#turns++) soon(this.#takeTurn);
  }

  #begin({ sequence, body, traceId, spanId }: PostedCall): void {
    const { post, ledger, faults, cleanliness, memoryLimit } = this.#surroundings;
    const call = new Call({ traceId, spanId }, (outcome, answer) => {
      delete this.#running[sequence];
      this.#runs--;
      ledger.finish();
      const excess = outcome === 'ok' ? memoryLimit?.excess(call.tags) : undefined;
      // Before the answer: with it, the main thread is free to give this thread its next call.
      const leftBehind = excess?.message ?? cleanliness?.leftBehind();
      if (leftBehind !== undefined) this.spend();
      if (excess) return post({ kind: 'answer', sequence, outcome: excess.code, body: stringifyMessage(excess), leftBehind: excess.message });
      post({ kind: 'answer', sequence, outcome, body: answer, ...(leftBehind === undefined ? {} : { leftBehind }) }, typeof answer === 'string' ? [] : [answer.buffer as ArrayBuffer]);
      this.#askForTurns();
    });
    this.#running[sequence] = call;
    this.#runs++;
    faults.run(call, () => run(this.#pack, call, body, this.#surroundings));
  }

  #cancel({ sequence, reason }: Extract<ToWorker, { kind: 'cancel' }>): void {
    const { post, faults } = this.#surroundings;
    const call = this.#running[sequence];
    // Inside of the call, so that a listener of the signal that throws fails this call and no other.
    if (call) faults.run(call, () => call.cancel(reason));
    post({ kind: 'cancel-seen', sequence });
  }
}

function run(pack: LoadedPack, call: Call, body: MessageBody, { faults, log }: CallSurroundings): void {
  let message: unknown;
  try {
    message = parseJson(typeof body === 'string' ? body : decode(body));
  } catch (error) {
    return call.fail(errorMessage('malformed-message', `The body is not JSON: ${messageOf(causeOf(error))}`));
  }
  const parsed = parseRequest(message);
  if (parsed.kind === 'error') return call.fail(parsed.error);
  call.request = parsed.request;
  // Not returned: adopting a promise takes further promises and microtasks, and each is watched for whose it is.
  faults.inBackground(parsed.request.kind === 'invoke' ? runTool(pack, parsed.request, call, log) : runCheck(pack, parsed.request, call));
}

/** Throws on what is not UTF-8; a byte order mark stays, and is no JSON. */
function decode(bytes: Uint8Array): string {
  return new Decoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
