import { closest, distance } from 'fastest-levenshtein';
import type { Definition } from '../../src/threads/link/definitions.js';
import { toJson } from '../serve/json.js';
import type { Fields } from './find-definitions.js';
import { type Report, reasonOf } from './report.js';

type Names = Readonly<Record<Definition['kind'], readonly string[]>>;

const isolation = ['sandbox', 'limits', 'network'];

/** The fields of a definition that its index entry has as they are. */
const indexed: Names = {
  config: ['pack', 'discovery', 'env'],
  tool: [
    'id', 'description', 'version', 'effects', 'needs', 'needsSpec', 'mutating', 'spec', ...isolation,
    'pauses', 'storesFiles', 'readsFiles', 'needsApprovalWhenUnattended', 'resultIsOutsideData',
  ],
  guardrail: ['id', 'name', 'kind', 'action', 'severity', 'scope', 'config', 'judgeCapabilities', ...isolation],
  agent: [
    'id', 'version', 'name', 'instructions', 'capabilities', 'tools', 'retrieval', 'guardrails', 'parameters', 'settings', 'modelSettings', 'budget',
    'preferredProvider', 'preferredModel', 'description', 'tags', 'conversationPolicy', 'output', 'toolErrors', 'parallelToolCalls', 'memory',
  ],
  flow: ['id', 'version', 'nodes', 'edges', 'kernelPayloadVersion', 'name', 'description', 'maxParallelism', 'metadata', 'output'],
};

/** Those that the entry is made of in another way. */
const read: Partial<Names> = {
  tool: ['input', 'output', 'inputZod', 'outputZod', 'handler', 'run'],
  guardrail: ['check', 'checkId', 'configSchema', 'configZod'],
};

/** The JSON form of the fields that an index entry has as they are. */
export function indexedFields(kind: Definition['kind'], value: Fields, report: Report): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of indexed[kind]) {
    const json = value[name] === undefined ? undefined : jsonOf(value[name], name, report);
    if (json !== undefined) fields[name] = json;
  }
  if (kind !== 'config') reportTypingErrors(value, [...indexed[kind], ...(read[kind] ?? [])], report);
  return fields;
}

/** The JSON form of a value; undefined, with a problem, where it has none. */
export function jsonOf(value: unknown, field: string, report: Report): unknown {
  try {
    const form = toJson(value);
    if (form.kind === 'json') return form.value;
    report.add([field, ...form.issue.instancePath.split('/').slice(1)].join('.'), 'json', form.issue.message);
  } catch (error) {
    report.add(field, 'json', `cannot be written as JSON: ${reasonOf(error)}`);
  }
  return undefined;
}

function reportTypingErrors(value: Fields, known: readonly string[], report: Report): void {
  for (const name of Object.keys(value)) {
    const nearest = closest(name, [...known]);
    const typos = distance(name.toLowerCase(), nearest.toLowerCase());
    if (known.includes(name) || nearest in value || typos > Math.min(2, name.length / 4)) continue;
    report.add(name, 'unknown-field', 'is no field of the index and is left out', { severity: 'warning', hint: `did you mean ${nearest}?` });
  }
}
