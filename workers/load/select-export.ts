/** A function of a pack, with the object it is a method of. */
export interface PackFunction {
  readonly call: (...args: readonly unknown[]) => unknown;
  /** What the module exported it in: the place for `inputZod` and other schemas of its own. */
  readonly owner: Readonly<Record<string, unknown>> | undefined;
}

type Exports = Readonly<Record<string, unknown>>;

/** The id, and version where there is one, of the index entry whose function is wanted. */
export interface Wanted {
  readonly id: string;
  readonly version?: string | undefined;
}

/** A tool's handler: the definition of that id, else the first function at `default`, `handler` or `run`, or in an object there. */
export function selectHandler(module: Exports, wanted: Wanted): PackFunction | undefined {
  const definition = definitionOf(module, wanted);
  const found = definition && (methodOf(definition, 'handler') ?? methodOf(definition, 'run'));
  if (found) return found;
  for (const name of ['default', 'handler', 'run']) {
    for (const candidate of candidatesAt(module, name)) {
      if (typeof candidate === 'function') return functionOf(candidate as (...args: unknown[]) => unknown);
      const method = methodOf(candidate, 'handler') ?? methodOf(candidate, 'run');
      if (method) return method;
    }
  }
  return undefined;
}

/** A check's function: that of the guardrail or check of that id, else `evaluate` of the module, of `default` or of `check`. */
export function selectCheck(module: Exports, guardrailId: string, checkId: string): PackFunction | undefined {
  for (const id of [guardrailId, checkId]) {
    const definition = definitionOf(module, { id });
    const found = definition && evaluateOf(definition);
    if (found) return found;
  }
  const own = methodOf(module, 'evaluate');
  if (own) return own;
  for (const name of ['default', 'check']) {
    for (const candidate of candidatesAt(module, name)) {
      if (typeof candidate === 'function') return functionOf(candidate as (...args: unknown[]) => unknown);
      const found = evaluateOf(candidate);
      if (found) return found;
    }
  }
  return undefined;
}

/** `evaluate` of a check, or of the check a guardrail definition holds. */
function evaluateOf(value: unknown): PackFunction | undefined {
  const evaluate = methodOf(value, 'evaluate');
  if (evaluate) return evaluate;
  const check = isObject(value) ? value['check'] : undefined;
  if (typeof check === 'function') return methodOf(value, 'check');
  return methodOf(check, 'evaluate');
}

function definitionOf(module: Exports, { id, version }: Wanted): Exports | undefined {
  const definitions = Object.keys(module)
    .flatMap((name) => candidatesAt(module, name))
    .filter((value): value is Exports => isObject(value) && value['id'] === id);
  return definitions.find((definition) => definition['version'] !== undefined && definition['version'] === version) ?? definitions.find((definition) => definition['version'] === undefined || version === undefined);
}

/** What stands at a name: itself, a `{kind: 'ok', value}` result unwrapped, and the `default` that a transpiled CommonJS module has within. */
function candidatesAt(module: Exports, name: string): unknown[] {
  const value = unwrapped(module[name]);
  if (name === 'default' && isObject(value) && value['__esModule'] === true) return [unwrapped(value['default']), value];
  return [value];
}

function unwrapped(value: unknown): unknown {
  return isObject(value) && value['kind'] === 'ok' && 'value' in value ? value['value'] : value;
}

function methodOf(owner: unknown, name: string): PackFunction | undefined {
  if (!isObject(owner)) return undefined;
  const method = owner[name];
  if (typeof method !== 'function') return undefined;
  return { call: (...args) => Reflect.apply(method, owner, args) as unknown, owner };
}

function functionOf(call: (...args: unknown[]) => unknown): PackFunction {
  return { call, owner: undefined };
}

function isObject(value: unknown): value is Exports {
  return typeof value === 'object' && value !== null;
}
