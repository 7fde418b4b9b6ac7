import { type Agent, request as httpRequest } from 'node:http';
import type { CallRequest } from '../targets/target.js';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly elapsedMs: number;
}

/** A single request outside any load; on a connection of its own unless `agent` keeps one. */
export function oneCall(port: number, call: CallRequest, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sentAt = performance.now();
    const request = httpRequest({ host: '127.0.0.1', port, method: call.method, path: call.path, headers: call.headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks), elapsedMs: performance.now() - sentAt }));
    });
    request.on('error', reject);
    request.end(call.body);
  });
}
