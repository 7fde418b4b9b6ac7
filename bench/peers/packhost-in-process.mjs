/**
 * packhost's own path with the handler on the main thread: the same front, the same validation, the same
 * checks, and no threads. What packhost costs more than this is the price of isolation.
 */
import { EventEmitter } from 'node:events';
import { dirname } from 'node:path';

const built = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { Calls } = await built('src/calls/calls.js');
const { Gate } = await built('src/calls/gate.js');
const { EventStream } = await built('src/events/event-stream.js');
const { Authenticator } = await built('src/fronts/http/authenticate.js');
const { invoke } = await built('src/fronts/http/invoke.js');
const { createRouter } = await built('src/fronts/http/routes.js');
const { listen } = await built('src/fronts/http/server.js');
const { logEvents } = await built('src/logging/log-events.js');
const { loadIndex } = await built('src/packs/load-index.js');
const { openPack } = await built('src/packs/pack.js');
const { CallLedger } = await built('src/threads/link/call-ledger.js');
const { Cleanliness } = await built('workers/guards/cleanliness.js');
const { watchEnvironment } = await built('workers/guards/environment.js');
const { FaultGuard } = await built('workers/guards/faults.js');
const { preload } = await built('workers/load/preload.js');
const { CallServer } = await built('workers/serve/call-server.js');

const indexPath = process.env.BENCH_INDEX;
const index = await loadIndex(indexPath);
const { parts, schemas } = await openPack(index, { moduleRoot: dirname(indexPath), bundleMap: undefined }, 1);
const validators = schemas.compile().then(({ codes }) => codes);
const { pack } = await preload(parts[0].threadPack, new Int32Array(1), validators);

/** Stands where the threads are: a call goes to the code that serves it in a worker, and is answered from there. */
class InProcess {
  health = { kind: 'serving' };
  #port = new EventEmitter();
  #answers = [];
  #next = 0;
  #isOpen = false;

  run({ body, tags }) {
    this.#open();
    const sequence = this.#next++;
    const outcome = new Promise((resolve) => (this.#answers[sequence] = resolve));
    this.#port.emit('message', { kind: 'calls', calls: [{ sequence, body, traceId: tags.traceId, spanId: tags.spanId }] });
    return { outcome, artifactVersion: index.artifactVersion, end: () => {} };
  }

  /** At the first call: while a module still waits at its top level, Node itself listens on `process`, and goes later. */
  #open() {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const post = ({ kind, sequence, outcome, body }) => {
      if (kind !== 'answer') return;
      this.#answers[sequence]({ kind: 'answer', outcome, body });
      delete this.#answers[sequence];
    };
    const faults = new FaultGuard(post);
    // It looks, as on a thread; but what it finds here are the front's own sockets.
    const cleanliness = new Cleanliness(watchEnvironment());
    const looking = { leftBehind: () => void cleanliness.leftBehind() };
    new CallServer(pack, this.#port, { post, ledger: new CallLedger(CallLedger.memory()), callsAtOnce: Infinity, faults, log: () => undefined, cleanliness: looking, memoryLimit: undefined });
  }
}

const events = new EventStream();
events.observe(logEvents({ level: 'info', format: 'json', bufferBytes: 1_048_576 }).observer);
const serving = { current: new InProcess() };
const gate = new Gate(serving, { limit: 512, missingEnv: () => [], isHeldUp: () => false, lifecycle: () => ({ wantsTraffic: true, takesCalls: true }) });
const calls = new Calls(gate, serving, events);
const context = { calls, artifactVersion: () => index.artifactVersion, maxBodyBytes: 16 * 1024 * 1024, defaultTimeoutMs: 120_000 };
const respond = createRouter({ calls, authenticator: new Authenticator('bench'), info: () => '{}', invoke: (exchange) => invoke(exchange, context) });
await listen({ host: '127.0.0.1', port: Number(process.env.PORT), respond, onError: (error) => events.emit({ kind: 'request-failed', error }) });
