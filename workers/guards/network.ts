import { AsyncLocalStorage } from 'node:async_hooks';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import workerThreads from 'node:worker_threads';
import { allowsHost } from '../../src/isolation/hosts.js';
import type { NetworkPolicy } from '../../src/protocol/isolation.js';
import { NetworkDenied } from './network-denied.js';

/** Holds while a request of packhost's own is begun. */
const ofTheHost = new AsyncLocalStorage<true>();
const { fetch } = globalThis;

/**
 * `fetch` for what packhost itself does on a call's behalf, whatever the tool's network policy: to reach
 * the runtime's files. The connection is closed, or pack code could use it for requests of its own.
 */
export const fetchForHost: typeof globalThis.fetch = (target, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('connection', 'close');
  return ofTheHost.run(true, () => fetch(target, { ...init, headers }));
};

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Holds a thread to its network policy at the doors that all of Node's clients go through: sockets
 * (and with them tls, http, https, http2, fetch and WebSocket), datagrams, and name lookups. Nested
 * threads are refused, since they would start without these guards. `who` names the running tool.
 */
export function guardNetwork(policy: NetworkPolicy, who: () => string): void {
  if (policy.kind === 'unrestricted') return;
  const denied = (what: string): NetworkDenied => new NetworkDenied(`${who()} may not ${what}: ${describe(policy)}.`);
  const refusal = (host: string, port?: number): NetworkDenied | undefined =>
    ofTheHost.getStore() || allowsHost(policy, host, port) ? undefined : denied(`reach ${host}${port === undefined ? '' : `:${port}`}`);

  guardSockets(refusal, denied);
  guardDatagrams(refusal);
  guardLookups(refusal);
  (workerThreads as { Worker: unknown }).Worker = function Worker() {
    throw denied('start a thread, which would escape it');
  };
  syncBuiltinESMExports();
}

type Refusal = (host: string, port?: number) => NetworkDenied | undefined;

function describe(policy: NetworkPolicy): string {
  return policy.kind === 'allowlist' ? `its network policy allows only ${policy.hosts.join(', ') || 'no host'}` : 'its network policy is none';
}

/** A refused connection fails as one to a name that does not resolve, so that every client reports it in its own way. */
function guardSockets(refusal: Refusal, denied: (what: string) => NetworkDenied): void {
  const { connect } = net.Socket.prototype as unknown as { connect: Method };
  const guarded: Method = function (this: unknown, ...args) {
    const { path, host, port } = target(args);
    const error = path === undefined ? refusal(host, port) : denied(`connect to ${path}`);
    if (error === undefined) return connect.apply(this, args);
    const lookup = (_host: string, _options: object, callback: (error: Error) => void): void => process.nextTick(callback, error);
    return connect.call(this, { host: 'refused.invalid', port: 1, lookup });
  };
  (net.Socket.prototype as unknown as { connect: Method }).connect = guarded;
}

interface Target {
  readonly path: string | undefined;
  readonly host: string;
  readonly port: number | undefined;
}

/** Reads the argument shapes of `connect`: options, a path, port and host, or the array that Node itself passes on. */
function target(args: readonly unknown[]): Target {
  const [first, second] = args;
  if (Array.isArray(first)) return target(first);
  if (typeof first === 'object' && first !== null) {
    const { path, host, port } = first as { path?: unknown; host?: unknown; port?: unknown };
    return { path: typeof path === 'string' ? path : undefined, host: typeof host === 'string' ? host : 'localhost', port: port === undefined ? undefined : Number(port) };
  }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { path: first, host: '', port: undefined };
  return { path: undefined, host: typeof second === 'string' ? second : 'localhost', port: Number(first) };
}

function guardDatagrams(refusal: Refusal): void {
  const prototype = dgram.Socket.prototype as unknown as { send: Method; connect: Method };
  const { send, connect } = prototype;
  prototype.send = function (this: unknown, ...args) {
    // send(message, [offset, length,] port, [address,] [callback]); on a connected socket without port and address.
    const rest = typeof args[2] === 'number' && typeof args[3] === 'number' ? args.slice(3) : args.slice(1);
    const [port, address] = rest;
    const error = typeof port === 'number' ? refusal(typeof address === 'string' ? address : 'localhost', port) : undefined;
    return error === undefined ? send.apply(this, args) : fail(this as dgram.Socket, args, error);
  };
  prototype.connect = function (this: unknown, ...args) {
    const [port, address] = args;
    const error = refusal(typeof address === 'string' ? address : 'localhost', Number(port));
    return error === undefined ? connect.apply(this, args) : fail(this as dgram.Socket, args, error);
  };
}

function fail(socket: dgram.Socket, args: readonly unknown[], error: NetworkDenied): undefined {
  const callback = args.at(-1);
  if (typeof callback === 'function') process.nextTick(callback, error);
  else process.nextTick(() => socket.emit('error', error));
  return undefined;
}

/** Every lookup takes the name first, and a callback last unless it answers a promise. */
function guardLookups(refusal: Refusal): void {
  const isLookup = (name: string): boolean => /^(lookup|lookupService|reverse|resolve\w*)$/.test(name);
  const wrap = (owner: object, promises: boolean): void => {
    const methods = owner as Record<string, Method>;
    for (const name of Object.getOwnPropertyNames(owner).filter(isLookup)) {
      const original = methods[name];
      if (typeof original !== 'function') continue;
      methods[name] = function (this: unknown, ...args) {
        // A socket that is bound looks its own address up; that asks nobody.
        const error = name === 'lookup' && net.isIP(String(args[0])) > 0 ? undefined : refusal(String(args[0]));
        if (error === undefined) return original.apply(this, args);
        if (promises) return Promise.reject(error);
        const callback = args.at(-1);
        if (typeof callback !== 'function') throw error;
        process.nextTick(callback, error);
        return undefined;
      };
    }
  };
  wrap(dns, false);
  wrap(dns.promises, true);
  wrap(dns.Resolver.prototype, false);
  wrap(dns.promises.Resolver.prototype, true);
}
