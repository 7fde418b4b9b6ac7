import type { EnvironmentWatch } from './environment.js';

/** Timers and handles beyond what there was after loading; a connection pool has some, a leak ever more. */
const toleratedHandles = 100;

/** Accessors, symbols and hidden additions are looked for in one built-in after so many calls. */
const callsPerShape = 4;

/** Comparisons in one generated function: few enough for V8 to optimize it. */
const comparisonsPerFunction = 50;

/** What can be read as `object.key`. */
const isIdentifier = /^[A-Za-z_$][\w$]*$/;

interface Named {
  readonly name: string;
  readonly object: object;
}

/**
 * Tells whether a call left its thread as it found it: built-in functions as they were after loading,
 * nothing enumerable added to a built-in prototype, `process.env` unchanged, no listener on `process` more
 * or fewer, no pile of timers and handles. It is asked after every call, so it must cost next to nothing:
 * the comparisons are generated as plain property reads, which V8 turns into a few machine instructions
 * each (under 2 µs for 600 functions, against 36 in a loop). What cannot be read that way (accessors,
 * symbols, additions that are not enumerable) is checked for one built-in after another, every few calls.
 */
export class Cleanliness {
  readonly #environment: EnvironmentWatch;
  readonly #comparisons: readonly Comparison[];
  readonly #heirs: readonly Named[];
  readonly #shapes: readonly Shape[];
  readonly #listeners: number;
  readonly #handles: number;
  #turn = 0;

  /** To be built when the pack has loaded: what its modules did on purpose is part of it. */
  constructor(environment: EnvironmentWatch) {
    this.#environment = environment;
    environment.begin();
    const builtins = intrinsics();
    const looked = builtins.map(lookAt);
    this.#comparisons = comparisonsOf([...looked, lookAt({ name: 'globalThis', object: globalThis })].flatMap(({ properties }) => properties));
    this.#heirs = builtins.filter(({ name }) => name.endsWith('.prototype')).map(heirOf).filter(enumeratesNothing);
    this.#shapes = looked.map(({ shape }) => shape);
    this.#listeners = listeners();
    this.#handles = process.getActiveResourcesInfo().length;
  }

  /** What the last call left behind; undefined when the thread is clean. */
  leftBehind(): string | undefined {
    for (const heir of this.#heirs) for (const key in heir.object) return `${heir.name}.${key}`;
    for (const compare of this.#comparisons) {
      const changed = compare();
      if (changed !== undefined) return `a changed ${changed}`;
    }
    this.#turn = (this.#turn + 1) % (this.#shapes.length * callsPerShape);
    const shape = this.#turn % callsPerShape === 0 ? this.#shapes[this.#turn / callsPerShape] : undefined;
    if (shape !== undefined && !shape.isWhole()) return `a changed ${shape.name}`;
    if (this.#environment.isChanged) return 'a changed process.env';
    if (listeners() !== this.#listeners) return 'other listeners on process';
    const handles = process.getActiveResourcesInfo().length - this.#handles;
    return handles > toleratedHandles ? `${handles} timers and handles` : undefined;
  }
}

/** An object without properties of its own enumerates just what was added to its prototype. */
function heirOf({ name, object }: Named): Named {
  return { name, object: Object.create(object) as object };
}

/** The methods of web classes, such as URL's, are enumerable to begin with; and asking String.prototype, itself a string, takes 3 µs. */
function enumeratesNothing({ name, object }: Named): boolean {
  if (name === 'String.prototype') return false;
  for (const _key in object) return false;
  return true;
}

/** Answers the name of the first function that is another one than it was. */
type Comparison = () => string | undefined;

/** All of a built-in's properties, checked whole. */
interface Shape {
  readonly name: string;
  isWhole(): boolean;
}

/** A function of a built-in, or a namespace of globalThis, as it is to stay. */
interface Property {
  readonly owner: Named;
  readonly key: string;
  readonly value: unknown;
}

/** How a built-in is now, in one pass over its properties: a thread's start waits for that of 1,500. */
function lookAt(owner: Named): { readonly properties: readonly Property[]; readonly shape: Shape } {
  const { name, object } = owner;
  const keys = Reflect.ownKeys(object);
  const count = keys.length;
  const properties: Property[] = [];
  const accessors: { readonly key: string | symbol; readonly get: unknown; readonly set: unknown }[] = [];
  for (const key of keys) {
    const { get, set, value } = Object.getOwnPropertyDescriptor(object, key) as { get?: unknown; set?: unknown; value?: unknown };
    if (get !== undefined || set !== undefined) accessors.push({ key, get, set });
    else if (typeof key === 'string' && isIdentifier.test(key) && (typeof value === 'function' || (object === globalThis && isObject(value)))) properties.push({ owner, key, value });
  }
  const isAsItWas = ({ key, get, set }: (typeof accessors)[number]): boolean => {
    const now = Object.getOwnPropertyDescriptor(object, key);
    return now?.get === get && now?.set === set;
  };
  return { properties, shape: { name, isWhole: () => Reflect.ownKeys(object).length === count && accessors.every(isAsItWas) } };
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

/** Functions that read the properties one by one, however many built-ins those are of: a thread's start waits for each to be compiled. */
function comparisonsOf(properties: readonly Property[]): Comparison[] {
  const comparisons: Comparison[] = [];
  for (let at = 0; at < properties.length; at += comparisonsPerFunction) comparisons.push(comparisonOf(properties.slice(at, at + comparisonsPerFunction)));
  return comparisons;
}

function comparisonOf(properties: readonly Property[]): Comparison {
  const owners = [...new Set(properties.map(({ owner }) => owner))];
  const lines = properties.map(({ owner, key }, position) => `if (owner${owners.indexOf(owner)}.${key} !== values[${position}]) return ${JSON.stringify(`${owner.name}.${key}`)};`);
  const parameters = owners.map((_, at) => `owner${at}`);
  // In parentheses, V8 compiles the inner function with the outer one instead of looking over it twice.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the keys are identifiers of built-in objects, checked above
  const build = new Function('values', ...parameters, `return (() => { ${lines.join(' ')} return undefined; });`) as (values: unknown[], ...owners: object[]) => Comparison;
  return build(properties.map(({ value }) => value), ...owners.map(({ object }) => object));
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
