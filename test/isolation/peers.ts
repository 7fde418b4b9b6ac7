/** Peers on this machine, each speaking as much of its protocol as a client needs to ask one thing. */
import dgram from 'node:dgram';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { temporaryFolder } from '../temporary-pack.js';

/** A listening peer that counts who came. */
export interface Peer {
  readonly port: number;
  readonly arrived: () => number;
}

/** HTTP on an address, and datagrams on the same port. */
export async function httpPeer(t: Test, host = '127.0.0.1'): Promise<Peer> {
  let arrived = 0;
  // Connections for those that never get to a request, requests for those on a connection that is kept.
  const server = http.createServer((_request, response) => response.end('hello')).on('connection', () => arrived++).on('request', () => arrived++);
  const port = await listening(t, server, host);
  const packets = dgram.createSocket(host.includes(':') ? 'udp6' : 'udp4').on('message', () => arrived++);
  packets.bind(port, host);
  await once(packets, 'listening');
  t.teardown(() => packets.close());
  return { port, arrived: () => arrived };
}

/** HTTP on a Unix socket; answers its path. */
export async function unixPeer(t: Test): Promise<string> {
  const path = join(temporaryFolder(t), 's');
  const server = http.createServer((_request, response) => response.end('hello')).listen(path);
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return path;
}

/** PostgreSQL: lets everybody in, and answers every query with one row (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
export const postgresPeer = (t: Test): Promise<Peer> =>
  socketPeer(t, (socket) => {
    const message = (type: string, body: Buffer): Buffer => Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
    const ready = message('Z', Buffer.from('I'));
    let started = false;
    socket.on('data', (data) => {
      if (!started) {
        started = true;
        socket.write(Buffer.concat([message('R', int32(0)), ready]));
      } else if (data[0] === 'Q'.charCodeAt(0)) {
        const column = Buffer.concat([Buffer.from([0, 1]), Buffer.from('greeting\0'), int32(0), Buffer.from([0, 0]), int32(25), Buffer.from([255, 255]), int32(-1), Buffer.from([0, 0])]);
        const row = Buffer.concat([Buffer.from([0, 1]), int32(5), Buffer.from('hello')]);
        socket.write(Buffer.concat([message('T', column), message('D', row), message('C', Buffer.from('SELECT 1\0')), ready]));
      } else socket.end();
    });
  });

/** Redis: `GET` answers a greeting, whatever else is OK (https://redis.io/docs/latest/develop/reference/protocol-spec/). */
export const redisPeer = (t: Test): Promise<Peer> =>
  socketPeer(t, (socket) => {
    socket.on('data', (data) => {
      for (const [, command = ''] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) socket.write(command.toLowerCase() === 'get' ? '$5\r\nhello\r\n' : '+OK\r\n');
    });
  });

async function socketPeer(t: Test, serve: (socket: Socket) => void): Promise<Peer> {
  let arrived = 0;
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    arrived++;
    sockets.add(socket);
    socket.on('error', () => {}); // The client's to notice.
    serve(socket);
  });
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port: await listening(t, server, '127.0.0.1'), arrived: () => arrived };
}

async function listening(t: Test, server: Server | http.Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  t.teardown(() => {
    if (server instanceof http.Server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
