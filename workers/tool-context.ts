import { applyDeclared, type CallReach, fillAbsent, type WireFields } from '../src/sdk/call-context.js';
import type { WireContext } from '../src/protocol/messages.js';
import type { Call } from './call.js';
import type { CallLog } from './call-log.js';
import { fetchForHost } from './guards/network.js';
import type { LoadedTool } from './preload.js';

/**
 * The context as the caller sent it, and what the host adds. `secrets` and `log` cannot be
 * enumerated, so that printing or spreading a context shows no secret. What most tools do not
 * declare, and most calls do not bring, costs them nothing.
 */
export function contextOf(sent: WireContext, { declared, ofSdk }: LoadedTool, call: Call, log: CallLog): WireFields {
  const ctx: WireFields = sent;
  applyDeclared(ctx, declared, declared && reachOf(call));
  if (ofSdk) completeForSdk(ctx, call);
  return Object.defineProperties(ctx, {
    abortSignal: { get: () => call.abortSignal, enumerable: true, configurable: true },
    secrets: { value: ctx['secrets'] ?? {}, enumerable: false, configurable: true },
    log: { get: lazily(() => log(call.tags)), enumerable: false, configurable: true },
  });
}

function reachOf(call: Call): CallReach {
  return { signal: () => call.abortSignal, fetch: fetchForHost };
}

function completeForSdk(ctx: WireFields, call: Call): void {
  fillAbsent(ctx);
  Object.defineProperty(ctx, 'cancellation', { get: () => call.cancellation, enumerable: false, configurable: true });
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
