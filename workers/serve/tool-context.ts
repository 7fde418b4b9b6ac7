import { applyDeclared, type CallReach, fillAbsent, type WireFields } from '../../src/sdk/call-context.js';
import type { WireContext } from '../../src/protocol/messages.js';
import type { Cancellation } from '../../src/sdk/cancellation.js';
import type { Call } from './call.js';
import type { CallLog } from './call-log.js';
import type { LoadedTool } from '../load/loaded-pack.js';

const { defineProperty } = Object;

/**
 * The context as the caller sent it, and what the host adds. `secrets` and `log` cannot be
 * enumerated, so that printing or spreading a context shows no secret. What most tools do not
 * declare, and most calls do not bring, costs them nothing.
 */
export function contextOf(sent: WireContext, { declared, ofSdk }: LoadedTool, call: Call, log: CallLog): WireFields {
  const ctx: WireFields = sent;
  applyDeclared(ctx, declared, declared && reachOf(call));
  if (ofSdk) fillAbsent(ctx);
  // One by one: defineProperties first makes a list of them, for half as much again.
  defineProperty(ctx, hostOf, { value: { call, log, logger: undefined } satisfies Host });
  defineProperty(ctx, 'secrets', { value: ctx['secrets'] ?? {}, enumerable: false, configurable: true });
  defineProperty(ctx, 'abortSignal', abortSignalProperty);
  defineProperty(ctx, 'log', logProperty);
  return ofSdk ? defineProperty(ctx, 'cancellation', cancellationProperty) : ctx;
}

/** Loaded when a tool first reaches for its files: the guard brings most of Node's network with it. */
const fetchForHost: typeof fetch = async (...request) => (await import('../guards/network.js')).fetchForHost(...request);

function reachOf(call: Call): CallReach {
  return { signal: () => call.abortSignal, fetch: fetchForHost };
}

/** What a context's getters need; kept in the context itself, so that they work through a proxy too. */
interface Host {
  readonly call: Call;
  readonly log: CallLog;
  logger: ReturnType<CallLog> | undefined;
}

type HostedContext = { readonly [hostOf]: Host };

const hostOf = Symbol('host');

// The same getters for every context: one of its own for each call would give each context a shape of its own, which V8 keeps with all that hangs on it.
const abortSignalProperty = { get: abortSignal, enumerable: true, configurable: true };
const logProperty = { get: logger, enumerable: false, configurable: true };
const cancellationProperty = { get: cancellation, enumerable: false, configurable: true };

function abortSignal(this: HostedContext): AbortSignal {
  return this[hostOf].call.abortSignal;
}

function cancellation(this: HostedContext): Cancellation {
  return this[hostOf].call.cancellation;
}

function logger(this: HostedContext): ReturnType<CallLog> {
  const host = this[hostOf];
  return (host.logger ??= host.log(host.call.tags));
}
