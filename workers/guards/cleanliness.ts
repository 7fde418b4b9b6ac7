import type { EnvironmentWatch } from './environment.js';

/** Timers and handles beyond what there was after loading; a connection pool has some, a leak ever more. */
const toleratedHandles = 100;

/** Comparisons in one generated function: few enough for V8 to optimize it. */
const comparisonsPerFunction = 50;

interface Named {
  readonly name: string;
  readonly object: object;
}

/**
 * Tells whether a call left its thread as it found it: built-in functions and prototypes as they were
 * after loading, nothing enumerable added to what every object and array inherits, `process.env`
 * unchanged, no listener on `process` more or fewer, no pile of timers and handles. It is asked after every
 * call, so it must cost next to nothing: the comparisons are generated as plain property reads, which
 * V8 turns into a few machine instructions each (under 2 µs for 600 functions, against 36 in a loop).
 */
export class Cleanliness {
  readonly #environment: EnvironmentWatch;
  readonly #comparisons: readonly (() => string | undefined)[];
  readonly #emptyObject = {};
  readonly #emptyArray: object = [];
  readonly #listeners: number;
  readonly #handles: number;

  /** To be built when the pack has loaded: what its modules did on purpose is part of it. */
  constructor(environment: EnvironmentWatch) {
    this.#environment = environment;
    environment.begin();
    this.#comparisons = intrinsics().flatMap(comparisonsOf);
    this.#listeners = listeners();
    this.#handles = process.getActiveResourcesInfo().length;
  }

  /** What the last call left behind; undefined when the thread is clean. */
  leftBehind(): string | undefined {
    // An empty object or array enumerates just what was added to its prototypes.
    for (const name in this.#emptyObject) return `Object.prototype.${name}`;
    for (const name in this.#emptyArray) return `Array.prototype.${name}`;
    for (const compare of this.#comparisons) {
      const changed = compare();
      if (changed !== undefined) return `a changed ${changed}`;
    }
    if (this.#environment.isChanged) return 'a changed process.env';
    if (listeners() !== this.#listeners) return 'other listeners on process';
    const handles = process.getActiveResourcesInfo().length - this.#handles;
    return handles > toleratedHandles ? `${handles} timers and handles` : undefined;
  }
}

function listeners(): number {
  let count = 0;
  for (const name of process.eventNames()) count += process.listenerCount(name);
  return count;
}

/** The global constructors and namespaces, their prototypes, and `process`. */
function intrinsics(): Named[] {
  const found: Named[] = [{ name: 'process', object: process }];
  const globals = Object.getOwnPropertyDescriptors(globalThis) as Record<string, PropertyDescriptor>;
  for (const [name, { value }] of Object.entries(globals)) {
    if (name === 'globalThis' || name === 'global' || !isObject(value)) continue;
    found.push({ name, object: value });
    const prototype = (value as { prototype?: unknown }).prototype;
    if (isObject(prototype)) found.push({ name: `${name}.prototype`, object: prototype });
  }
  const typedArray = Object.getPrototypeOf(Uint8Array) as { prototype: object };
  const arrayIterator = Object.getPrototypeOf([][Symbol.iterator]()) as object;
  return [...found, { name: 'TypedArray.prototype', object: typedArray.prototype }, { name: 'ArrayIterator.prototype', object: arrayIterator }];
}

/** Functions that read an object's methods one by one and answer the first that is another one than now. */
function comparisonsOf({ name, object }: Named): (() => string | undefined)[] {
  const methods = Object.entries(Object.getOwnPropertyDescriptors(object) as Record<string, PropertyDescriptor>)
    .filter(([key, { value }]) => /^[A-Za-z_$][\w$]*$/.test(key) && typeof value === 'function')
    .map(([key, { value }]) => ({ key, value: value as unknown }));
  const comparisons: (() => string | undefined)[] = [];
  for (let at = 0; at < methods.length; at += comparisonsPerFunction) {
    const part = methods.slice(at, at + comparisonsPerFunction);
    const lines = part.map(({ key }, position) => `if (object.${key} !== values[${position}]) return ${JSON.stringify(`${name}.${key}`)};`);
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the keys are identifiers of built-in objects, checked above
    const build = new Function('object', 'values', `return () => { ${lines.join(' ')} return undefined; }`) as (object: object, values: unknown[]) => () => string | undefined;
    comparisons.push(build(object, part.map(({ value }) => value)));
  }
  return comparisons;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
