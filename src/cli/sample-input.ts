type Schema = Readonly<Record<string, unknown>>;

/** A value that a JSON Schema takes, as far as its examples, required fields and plain bounds tell. */
export function sampleInput(schema: unknown): unknown {
  if (!isSchema(schema)) return {};
  const { examples, enum: choices, anyOf, oneOf } = schema;
  if (isList(examples)) return examples[0];
  if ('default' in schema) return schema['default'];
  if ('const' in schema) return schema['const'];
  if (isList(choices)) return choices[0];
  const alternatives = isList(anyOf) ? anyOf : isList(oneOf) ? oneOf : undefined;
  return alternatives === undefined ? ofType(schema) : sampleInput(alternatives[0]);
}

function ofType(schema: Schema): unknown {
  const { type } = schema;
  switch (isList(type) ? type[0] : type) {
    case 'string':
      return 'text'.padEnd(number(schema['minLength'], 0), '.').slice(0, number(schema['maxLength'], Infinity));
    case 'integer':
    case 'number':
      return number(schema['minimum'], Math.min(1, number(schema['maximum'], 1)));
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: number(schema['minItems'], 0) }, () => sampleInput(schema['items']));
    default:
      return ofObject(schema);
  }
}

function ofObject({ required, properties }: Schema): Schema {
  const names = isList(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, sampleInput(isSchema(properties) ? properties[name] : undefined)]));
}

function number(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
