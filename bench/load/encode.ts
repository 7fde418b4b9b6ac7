import type { CallRequest } from '../targets/target.js';

/** The bytes of a request: built once, sent as they are for every call. */
export function encodeRequest(port: number, { method, path, headers, body }: CallRequest): Buffer {
  const fields = { host: `127.0.0.1:${port}`, ...headers, ...(body.length > 0 ? { 'content-length': body.length } : {}) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), body]);
}
