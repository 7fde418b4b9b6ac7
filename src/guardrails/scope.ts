import type { Scope } from './guardrail.js';
import type { Mode, RunTrace } from './trace.js';

/** Why a guardrail is not for this run; undefined when it is. */
export function outOfScope({ when = 'always', agents = [], flows = [], tenants = [] }: Scope, trace: RunTrace, mode: Mode): string | undefined {
  if (when === 'ci-only' && mode !== 'ci') return `It is for builds only (ci-only); this run is judged as ${mode}.`;
  if (when === 'runtime-only' && mode !== 'runtime') return `It is for run time only (runtime-only); this run is judged as ${mode}.`;
  return notAmong('agents', agents, trace.agentId) ?? notAmong('flows', flows, trace.flowId) ?? notAmong('tenants', tenants, trace.tenantId);
}

function notAmong(what: 'agents' | 'flows' | 'tenants', listed: readonly string[], id: string | null | undefined): string | undefined {
  if (listed.length === 0 || (typeof id === 'string' && listed.includes(id))) return undefined;
  const own = typeof id === 'string' ? `this run's ${what.slice(0, -1)} is ${id}` : `this run has no ${what.slice(0, -1)}`;
  return `It is for the ${what} ${listed.join(', ')}; ${own}.`;
}
