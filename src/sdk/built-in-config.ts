import type { ValueSchema, ValueType } from '../checks/check.js';
import { builtInCheck, type BuiltInCheckId } from '../checks/index.js';
import { fields, flag, isRecord, type Kind, kind, list, openFields, optional, wholeNumber } from './kinds.js';

/**
 * What is wrong with the config of a check that comes with the host, so that a wrong one is told where it is
 * written. The host holds a config to the same schema, and asks the check the same.
 */
export function builtInConfigProblems(id: BuiltInCheckId, config: unknown, place: string): readonly string[] {
  const check = builtInCheck(id);
  const problems = kindOf(check.configSchema)(config, place);
  if (problems.length > 0 || !isRecord(config)) return problems;
  return (check.issues?.(config) ?? []).map(({ instancePath, message }) => `${place}${instancePath.replaceAll('/', '.')} ${message}`);
}

/** The kind of what a schema describes. Where a schema allows several types, the value's own decides. */
function kindOf(schema: ValueSchema): Kind {
  if (typeof schema.type === 'string') return kindOfType(schema.type, schema);
  const kinds = schema.type.map((type) => ({ type, kind: kindOfType(type, schema) }));
  return (value, place) => (kinds.find(({ type }) => type === typeOf(value)) ?? kinds[0])?.kind(value, place) ?? [];
}

function kindOfType(type: ValueType, { minimum = 0, minLength, items, properties = {}, required = [], additionalProperties }: ValueSchema): Kind {
  switch (type) {
    case 'string':
      return kind(minLength === undefined ? 'text' : 'text that is not empty', (value) => typeof value === 'string' && value.length >= (minLength ?? 0));
    case 'integer':
      return wholeNumber(minimum);
    case 'boolean':
      return flag;
    case 'array':
      return list(items === undefined ? () => [] : kindOf(items));
    case 'object': {
      const known = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, required.includes(name) ? kindOf(schema) : optional(kindOf(schema))]));
      return additionalProperties === false ? fields(known) : openFields(known);
    }
  }
}

function typeOf(value: unknown): ValueType | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value as 'string' | 'boolean';
  if (Array.isArray(value)) return 'array';
  return isRecord(value) ? 'object' : undefined;
}
