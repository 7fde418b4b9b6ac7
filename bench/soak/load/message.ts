import type { Message } from '../kinds/kind.js';
import type { PlannedCall } from '../plan.js';

/** The protocol message of a call. Its nonce is the request id, so that its record names it too. */
export function messageOf({ nonce, ask: { target, id, input } }: PlannedCall): Message {
  const ids = { requestId: nonce, tenantId: 'soak', runId: 'soak' };
  if (target === 'tool') return { ctx: ids, v: 2, kind: 'invoke', tool: { id }, input: { nonce, ...input } };
  const trace = { ...ids, output: 'hello', toolCalls: [], toolResults: [], modelCalls: [], mode: 'runtime' };
  return { trace, v: 2, kind: 'check-invoke', check: { id }, config: { nonce, ...input } };
}
