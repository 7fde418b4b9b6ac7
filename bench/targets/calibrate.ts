import { isDeepStrictEqual } from 'node:util';
import { oneCall } from '../load/one-call.js';
import { type CallRequest, healthRequest, type RunningTarget } from './target.js';

/** A request as bytes, with the bytes that its answer must have. */
export interface ProvenCall {
  readonly port: number;
  readonly request: Buffer;
  readonly expected: Buffer;
}

/** Calls once and checks the meaning of the answer; from then on the load generator compares bytes. */
async function prove(port: number, call: CallRequest, isRight: (answer: unknown) => boolean): Promise<ProvenCall> {
  const { status, body } = await oneCall(port, call);
  if (status !== 200 || !isRight(JSON.parse(body.toString('utf8')))) {
    throw new Error(`${call.path} answered ${status} ${body.subarray(0, 500).toString('utf8')}`);
  }
  return { port, request: encodeRequest(port, call), expected: body };
}

/** Proves a tool call: the answer is the tool's output, or from the bare floor the request itself. */
export function proveCall(target: RunningTarget, tool: string, input: unknown, output: unknown): Promise<ProvenCall> {
  const call = target.call(tool, input);
  const request: unknown = JSON.parse(call.body.toString('utf8'));
  const result = { v: 2, kind: 'result', output };
  return prove(target.server.port, call, (answer) => isDeepStrictEqual(answer, target.answersWithRequest ? request : result));
}

export function proveHealth(target: RunningTarget): Promise<ProvenCall> {
  return prove(target.server.port, healthRequest, (answer) => isDeepStrictEqual(answer, { status: 'ok' }));
}

/** The bytes of a request: built once, sent as they are for every call. */
function encodeRequest(port: number, { method, path, headers, body }: CallRequest): Buffer {
  const fields = { host: `127.0.0.1:${port}`, ...headers, ...(body.length > 0 ? { 'content-length': body.length } : {}) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), body]);
}
