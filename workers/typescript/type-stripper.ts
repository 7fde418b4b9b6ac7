import { type MessagePort, parentPort } from 'node:worker_threads';
import type { StripAnswer, StripRequest } from '../../src/threads/link/type-stripping.js';
import { stripTypes } from './strip-types.js';

/* The thread that strips types for all others, each of which has a port to it. */
parentPort?.on('message', (port: MessagePort) => port.on('message', (request: StripRequest) => port.postMessage(answerTo(request))));

function answerTo({ id, file, source }: StripRequest): StripAnswer {
  try {
    return { kind: 'stripped', id, code: stripTypes(source, file) };
  } catch (error) {
    return { kind: 'refused', id, reason: error instanceof Error ? error.message : String(error) };
  }
}
