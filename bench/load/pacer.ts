import { parentPort, workerData } from 'node:worker_threads';

/**
 * A clock finer than a millisecond for the open loop: the event loop's timers are not, and spinning
 * would take one of the cores that the server is measured on. `Atomics.wait` sleeps in the kernel.
 */
const { stop, intervalMs } = workerData as { stop: Int32Array; intervalMs: number };

while (Atomics.wait(stop, 0, 0, intervalMs) === 'timed-out') parentPort?.postMessage(0);
