import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { startFailure, startWorker } from '../threads/host/start-worker.js';
import { stripperPort } from '../threads/host/type-stripper.js';
import type { FileProblem, ReadFile, ReadTask, SourceFile } from '../threads/link/definitions.js';

/** How the reading thread is held. */
export interface ReadOptions {
  /** What pack code gets as `process.env`. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long one file may take to load, in milliseconds. */
  readonly loadTimeoutMs: number;
  /** Gives the reading up. */
  readonly signal?: AbortSignal | undefined;
}

const readerFile = new URL('../../workers/indexing/read-sources.js', import.meta.url);

/**
 * Imports every file and answers what each declares, in their order. A file that hangs, or ends its
 * thread, is reported by name; the files after it are read in another thread. When no thread can start, the
 * first file that is left says so, and no other is read.
 */
export async function readFiles(files: readonly SourceFile[], options: ReadOptions): Promise<ReadFile[]> {
  const read = new Map<string, ReadFile>();
  for (let left = files; left.length > 0; left = files.filter(({ path }) => !read.has(path))) {
    options.signal?.throwIfAborted();
    const ended = await readInThread(left, options, (file) => read.set(file.path, file));
    if (ended.kind === 'done') break;
    // With none begun the thread itself could not start: the first file stands for it.
    const file = (ended.kind === 'broken' ? ended.during : undefined) ?? left[0];
    if (file === undefined) break;
    read.set(file.path, { path: file.path, definitions: [], problems: [{ severity: 'error', field: '', ...ended.fault }] });
    if (ended.kind === 'no-thread') break;
  }
  return files.map(({ path }) => read.get(path) ?? { path, definitions: [], problems: [] });
}

type Fault = Pick<FileProblem, 'rule' | 'message' | 'hint'>;

type Ended =
  | { readonly kind: 'done' }
  /** `during`: the file whose import had begun; none when the thread did not come so far. */
  | { readonly kind: 'broken'; readonly during: SourceFile | undefined; readonly fault: Fault }
  /** The system refuses a thread: none of the files has been imported. */
  | { readonly kind: 'no-thread'; readonly fault: Fault };

async function readInThread(files: readonly SourceFile[], { environment, loadTimeoutMs, signal }: ReadOptions, onFile: (file: ReadFile) => void): Promise<Ended> {
  const { port1: port, port2 } = new MessageChannel();
  const progress = new SharedArrayBuffer(4);
  const begun = new Int32Array(progress);
  const stripper = stripperPort(files.map(({ url }) => url));
  const task: ReadTask = { port: port2, files, progress, stripper };
  const start = startWorker(readerFile, { workerData: task, transferList: stripper ? [port2, stripper] : [port2], env: environment, stdout: true, stderr: true });
  if (start.kind === 'failed') {
    port.close();
    return noThread(start.reason);
  }
  const { worker } = start;
  // What modules print as they load is for people: stdout is the command's own.
  worker.stdout.pipe(process.stderr, { end: false });
  worker.stderr.pipe(process.stderr, { end: false });
  const broken = (rule: string, message: string, hint: string): Ended => {
    // What the thread posted before it ended may still wait on the port.
    for (let waiting = receiveMessageOnPort(port); waiting; waiting = receiveMessageOnPort(port)) onFile(waiting.message as ReadFile);
    return { kind: 'broken', during: files[Atomics.load(begun, 0) - 1], fault: { rule, message, hint } };
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Ended>((resolve) => {
      let count = 0;
      const hangs = (): void => resolve(broken('load-timeout', `has not finished loading after ${loadTimeoutMs} ms`, 'start nothing that waits while a module loads'));
      timer = setTimeout(hangs, loadTimeoutMs);
      port.on('message', (file: ReadFile) => {
        onFile(file);
        timer?.refresh();
        if (++count === files.length) resolve({ kind: 'done' });
      });
      signal?.addEventListener('abort', () => resolve({ kind: 'done' }));
      worker.once('error', (error) => {
        const refusal = Atomics.load(begun, 0) === 0 ? startFailure(error) : undefined;
        resolve(refusal === undefined ? broken('load-fault', `failed while it loaded: ${messageOf(error)}`, 'catch what a module starts as it loads') : noThread(refusal));
      });
      worker.once('exit', (code) => {
        // Node's code for a top-level await that nothing will ever settle.
        if (code === 13) resolve(broken('load-exit', 'waits at its top level for what never comes', 'every promise that a module awaits must settle'));
        else resolve(broken('load-exit', `ended its thread while it loaded (code ${code})`, 'a module must not call process.exit'));
      });
    });
  } finally {
    clearTimeout(timer);
    port.close();
    await worker.terminate();
  }
}

function noThread(reason: string): Ended {
  return { kind: 'no-thread', fault: { rule: 'no-thread', message: `could not be loaded: ${reason}`, hint: 'files load on a thread of their own; try again when the system allows one more' } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
