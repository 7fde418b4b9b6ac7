import type { DefinitionKind } from '../../src/threads/link/definitions.js';

export type Fields = Readonly<Record<string, unknown>>;

/** A definition that a module exports, or the error of one that could not be made. */
export type Exported =
  | { readonly kind: DefinitionKind; readonly name: string; readonly value: Fields }
  | { readonly kind: 'failed'; readonly name: string; readonly error: unknown };

/** What tells a definition's kind by itself; the first that fits. */
const shapes: readonly (readonly [DefinitionKind, (value: Fields) => boolean])[] = [
  ['flow', (value) => 'nodes' in value || 'edges' in value],
  ['agent', (value) => 'instructions' in value],
  ['guardrail', (value) => 'check' in value || 'action' in value],
  ['tool', (value) => hasFunction(value, 'handler', 'run') || isObject(value['spec']) || ('input' in value && 'output' in value)],
];

/**
 * The definitions of a module, each once: of its default export, its named ones, or of the module
 * itself, where `id`, `handler` and the rest are exports of their own. Other exports are the
 * module's business. `expected` is what the file's place says, for those whose shape says nothing.
 */
export function findDefinitions(module: Fields, expected: readonly DefinitionKind[]): Exported[] {
  const found: Exported[] = [];
  const seen = new Set<unknown>();
  for (const name of Object.keys(module).sort(defaultFirst)) {
    const exported = exportedAt(module, name, expected);
    if (exported === undefined || seen.has(identityOf(exported))) continue;
    seen.add(identityOf(exported));
    found.push(exported);
  }
  if (found.length > 0 || typeof module['id'] !== 'string') return found;
  const itself = { handler: firstFunction(module, 'default', 'handler', 'run'), check: firstFunction(module, 'evaluate', 'default', 'check') };
  const isGuardrail = 'action' in module || 'kind' in module;
  const { default: _, handler: __, run: ___, ...fields } = module;
  const value = isGuardrail ? { ...fields, check: itself.check } : { ...fields, ...(itself.handler === undefined ? {} : { handler: itself.handler }) };
  const kind = isGuardrail ? 'guardrail' : kindOf(value);
  return kind === undefined ? [] : [{ kind, name: 'module', value }];
}

/** What a `{kind: 'ok', value}` result holds; anything else as it is. */
export function unwrapped(value: unknown): unknown {
  return isObject(value) && value['kind'] === 'ok' && 'value' in value ? value['value'] : value;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The default export of a module, that of a transpiled CommonJS one included. */
export function defaultOf(module: Fields): unknown {
  const value = module['default'];
  return isObject(value) && value['__esModule'] === true ? value['default'] : value;
}

function exportedAt(module: Fields, name: string, expected: readonly DefinitionKind[]): Exported | undefined {
  const raw = name === 'default' ? defaultOf(module) : module[name];
  if (isObject(raw) && raw['kind'] === 'err' && 'error' in raw) return { kind: 'failed', name, error: raw['error'] };
  const value = unwrapped(raw);
  if (!isObject(value) || value['__esModule'] === true) return undefined;
  const kind = kindOf(value);
  // A default export is meant to be something, unless it is a check that a guardrail elsewhere refers to.
  if (name === 'default' && 'id' in value && !(kind === undefined && hasFunction(value, 'evaluate'))) return { kind: kind ?? expected[0] ?? 'tool', name, value };
  if (kind !== undefined && (name === 'default' || 'id' in value || hasFunction(value, 'handler'))) return { kind, name, value };
  return undefined;
}

function kindOf(value: Fields): DefinitionKind | undefined {
  return shapes.find(([, fits]) => fits(value))?.[0];
}

function identityOf(exported: Exported): unknown {
  return exported.kind === 'failed' ? exported.error : exported.value;
}

function hasFunction(value: Fields, ...names: readonly string[]): boolean {
  return firstFunction(value, ...names) !== undefined;
}

function firstFunction(value: Fields, ...names: readonly string[]): unknown {
  return names.map((name) => value[name]).find((candidate) => typeof candidate === 'function');
}

function defaultFirst(a: string, b: string): number {
  return Number(b === 'default') - Number(a === 'default') || (a < b ? -1 : 1);
}
