import { applyDeclared, fillAbsent, type WireFields } from './call-context.js';
import { Cancellation } from './cancellation.js';
import type { ContextShape, ToolContext, ToolLog } from './context.js';
import { declaredBy, type Declaring } from './declared.js';

/** What a context is made with besides what came over the wire. */
export interface ContextParts {
  /** The tool, or its index entry: it decides what the context has. */
  readonly tool: Declaring;
  /** One that never fires when left out. */
  readonly cancellation?: Cancellation;
  /** Writes nothing when left out. */
  readonly log?: ToolLog;
  /** What reaches the runtime's files; the global one when left out. */
  readonly fetch?: typeof fetch;
}

const nothing = (): void => {};
const silent: ToolLog = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing, child: () => silent };

/** The context for a `ctx` of protocol 2, as a host gives it to a handler. `sent` stays as it is. */
export function contextFromWire<Shape extends ContextShape = ContextShape>(sent: Readonly<Record<string, unknown>>, parts: ContextParts): ToolContext<Shape> {
  const { tool, cancellation = new Cancellation(), log = silent, fetch = globalThis.fetch } = parts;
  const { secrets = {}, ...others } = sent;
  const ctx: WireFields = { ...others };
  applyDeclared(ctx, declaredBy(tool), { signal: () => cancellation.signal, fetch });
  fillAbsent(ctx);
  for (const [name, value] of Object.entries({ secrets, cancellation, log })) Object.defineProperty(ctx, name, { value, enumerable: false, configurable: true });
  ctx['abortSignal'] = cancellation.signal;
  return ctx as unknown as ToolContext<Shape>;
}
