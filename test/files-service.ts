import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Test } from 'tap';

interface Stored {
  readonly name: string;
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

/** What a call's `toolFiles` leads to, as a runtime has it: files by the order they came in, `f1` first. */
export interface FilesService {
  readonly url: string;
  readonly token: string;
  readonly stored: readonly Stored[];
  clear(): void;
}

/** Starts a store of files. One named `refused.txt` is not stored, for a reason. */
export async function startFilesService(t: Test): Promise<FilesService> {
  const token = 'the-files-token';
  const stored: Stored[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: object): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${token}`) return send(401, { error: 'who is it' });
    if (request.method === 'POST') {
      const name = decodeURIComponent(String(request.headers['kindgi-file-name']));
      const bytes = await buffer(request);
      if (name === 'refused.txt') return send(409, { notStored: 'wrong-type' });
      return send(200, { file: { artifactId: `f${stored.push({ name, contentType: request.headers['content-type'], bytes })}` } });
    }
    const found = stored[Number(/^\/files\/f(\d+)$/.exec(request.url ?? '')?.[1]) - 1];
    if (found === undefined) return send(404, { notRead: 'not-found' });
    response.writeHead(200).end(found.bytes);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/files`, token, stored, clear: () => void stored.splice(0) };
}
