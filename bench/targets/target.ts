import type { Pack } from '../packs/write-pack.js';
import type { ServerProcess } from './server-process.js';

/** One HTTP request as data. */
export interface CallRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Something that runs handlers behind HTTP: packhost, or a peer. */
export interface Target {
  readonly name: string;
  /** Starts it with a pack; a peer hosts the one tool that `tool` names. */
  start(pack: Pack, tool: string): Promise<RunningTarget>;
}

export interface RunningTarget {
  readonly name: string;
  readonly server: ServerProcess;
  /** Only of the bare floor: it runs no handler and sends the request back. */
  readonly answersWithRequest: boolean;
  /** A call to a tool; a deadline only where the scenario is about deadlines. */
  readonly call: (tool: string, input: unknown, deadlineMs?: number) => CallRequest;
}

/** The message that packhost and every peer get alike. */
export function invokeBody(tool: string, input: unknown): Buffer {
  return Buffer.from(JSON.stringify({ v: 2, kind: 'invoke', tool: { id: tool }, input, ctx: { tenantId: 'tenant-1', runId: 'run-1' } }));
}

export const healthRequest: CallRequest = { method: 'GET', path: '/healthz', headers: {}, body: Buffer.alloc(0) };

/** Starts every target, runs `work`, and stops them whatever happened. */
export async function withRunning<T>(targets: readonly Target[], pack: Pack, tool: string, work: (running: RunningTarget[]) => Promise<T>): Promise<T> {
  const running: RunningTarget[] = [];
  try {
    for (const target of targets) running.push(await target.start(pack, tool));
    return await work(running);
  } finally {
    await Promise.all(running.map(({ server }) => server.stop()));
  }
}

/** `withRunning` for one target. */
export function withOne<T>(target: Target, pack: Pack, tool: string, work: (running: RunningTarget) => Promise<T>): Promise<T> {
  return withRunning([target], pack, tool, ([running]) => {
    if (!running) throw new Error('nothing runs');
    return work(running);
  });
}
