import { AsyncLocalStorage } from 'node:async_hooks';
import { errorMessage } from '../../src/protocol/messages.js';
import type { Cause } from '../../src/protocol/messages.js';
import type { FaultKind, FromWorker } from '../../src/threads/link/messages.js';
import type { Call } from '../serve/call.js';
import { causeOf, messageOf } from '../../src/protocol/thrown.js';

/** Thrown where pack code called `process.exit`, so that it goes no further; the exit itself has been reported. */
class ExitCalled extends Error {
  override readonly name = 'ExitCalled';
}

/**
 * Catches what pack code does to its thread rather than to its call: exceptions and rejections that
 * nobody handles, and `process.exit`. Each is traced to the call whose code it came from, however
 * late: that call fails when it is still running, and nobody else's does.
 */
export class FaultGuard {
  readonly #running = new AsyncLocalStorage<Call>();
  readonly #report: (fault: Extract<FromWorker, { kind: 'fault' }>) => void;

  readonly #onException = (error: unknown): void => this.#onFault('exception', error);
  readonly #onRejection = (error: unknown): void => this.#onFault('rejection', error);

  constructor(report: (fault: Extract<FromWorker, { kind: 'fault' }>) => void) {
    this.#report = report;
    this.#listen();
    this.#keepListening();
    process.exit = (code) => this.#onExit(code);
  }

  /** Whose code is running, for messages. */
  get who(): string {
    const tags = this.#running.getStore()?.tags;
    if (tags === undefined) return 'Pack code';
    return tags.toolId === undefined ? `Check "${tags.checkId}"` : `Tool "${tags.toolId}"`;
  }

  /** Runs a call's code so that whatever it leaves behind is known for its own. */
  run(call: Call, code: () => void): void {
    this.#running.run(call, code);
  }

  /** Lets a call's code go on unawaited: its rejection reaches this guard, with the call that it came from. */
  readonly inBackground: (code: Promise<void>) => void = () => {};

  #onFault(fault: FaultKind, error: unknown): void {
    if (error instanceof ExitCalled) return;
    this.#settle(fault, causeOf(error));
  }

  #onExit(code: number | string | null | undefined): never {
    const exitCode = Number(code ?? process.exitCode ?? 0);
    const message = `Pack code called process.exit(${exitCode}).`;
    this.#settle('exit', { name: 'WorkerExited', message, exitCode });
    throw new ExitCalled(message);
  }

  #settle(fault: FaultKind, cause: Cause): void {
    const call = this.#running.getStore();
    const afterAnswer = call?.settled ?? true;
    if (call && !call.settled) {
      const { toolId, checkId } = call.tags;
      call.fail(errorMessage('handler-throw', `${this.who} failed outside of its handler: ${messageOf(cause)}`, { toolId, checkId, cause }));
    }
    this.#report({ kind: 'fault', fault, afterAnswer, tags: call?.tags, cause });
  }

  #listen(): void {
    process.on('uncaughtException', this.#onException);
    process.on('unhandledRejection', this.#onRejection);
  }

  /** Without a listener an exception would end the thread, and in some releases of Node the process with it. */
  #keepListening(): void {
    const removeAllListeners = process.removeAllListeners.bind(process);
    process.removeAllListeners = (event) => {
      removeAllListeners(event);
      process.off('uncaughtException', this.#onException).off('unhandledRejection', this.#onRejection);
      this.#listen();
      return process;
    };
  }
}
