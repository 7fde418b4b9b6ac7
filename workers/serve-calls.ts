import type { MessagePort } from 'node:worker_threads';
import { errorMessage } from '../src/protocol/messages.js';
import { parseRequest } from '../src/protocol/parse-request.js';
import type { FromWorker, MessageBody, ToWorker } from '../src/protocol/threads.js';
import { Call } from './call.js';
import type { CallLog } from './call-log.js';
import type { Cleanliness } from './guards/cleanliness.js';
import type { FaultGuard } from './guards/faults.js';
import { parseJson, stringifyMessage } from './json.js';
import type { MemoryLimit } from './memory-limit.js';
import type { LoadedPack } from './preload.js';
import { runCheck } from './run-check.js';
import { runTool } from './run-tool.js';
import { causeOf, messageOf } from '../src/protocol/thrown.js';

/** What a thread's calls run with. */
export interface CallSurroundings {
  readonly post: (message: FromWorker, transfer?: ArrayBuffer[]) => void;
  readonly faults: FaultGuard;
  readonly log: CallLog;
  /** Absent where calls may share the thread, or it ends after each. */
  readonly cleanliness: Cleanliness | undefined;
  readonly memoryLimit: MemoryLimit | undefined;
}

/** Runs the calls that arrive on a port, and tells those that are over for their caller so. */
export function serveCalls(pack: LoadedPack, port: MessagePort, { post, faults, log, cleanliness, memoryLimit }: CallSurroundings): void {
  const calls = new Map<number, Call>();
  port.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'call':
        return begin(message);
      case 'cancel':
        return cancel(message);
    }
  });

  function begin({ callId, body, tags }: Extract<ToWorker, { kind: 'call' }>): void {
    const call = new Call(tags, (outcome, answer) => {
      calls.delete(callId);
      const transfer = typeof answer === 'string' ? [] : [answer.buffer as ArrayBuffer];
      const excess = outcome === 'ok' ? memoryLimit?.excess(tags) : undefined;
      if (excess) return post({ kind: 'answer', callId, outcome: excess.code, body: stringifyMessage(excess), leftBehind: excess.message });
      // Before the answer: with it, the main thread is free to give this thread its next call.
      const leftBehind = cleanliness?.leftBehind();
      post({ kind: 'answer', callId, outcome, body: answer, ...(leftBehind === undefined ? {} : { leftBehind }) }, transfer);
    });
    calls.set(callId, call);
    faults.run(call, () => void run(pack, call, body, log));
  }

  function cancel({ callId, reason }: Extract<ToWorker, { kind: 'cancel' }>): void {
    const call = calls.get(callId);
    // Inside of the call, so that a listener of the signal that throws fails this call and no other.
    if (call) faults.run(call, () => call.cancel(reason));
    post({ kind: 'cancel-seen', callId });
  }
}

async function run(pack: LoadedPack, call: Call, body: MessageBody, log: CallLog): Promise<void> {
  let message: unknown;
  try {
    message = parseJson(typeof body === 'string' ? body : decode(body));
  } catch (error) {
    return call.fail(errorMessage('malformed-message', `The body is not JSON: ${messageOf(causeOf(error))}`));
  }
  const parsed = parseRequest(message);
  if (parsed.kind === 'error') return call.fail(parsed.error);
  return parsed.request.kind === 'invoke' ? runTool(pack, parsed.request, call, log) : runCheck(pack, parsed.request, call);
}

/** Throws on what is not UTF-8; a byte order mark stays, and is no JSON. A character may be cut between two pieces. */
function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
}
