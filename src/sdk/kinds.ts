/** Answers what is wrong with the value at a place of a declaration; nothing when it is of that kind. */
export type Kind = (value: unknown, place: string) => readonly string[];

/** The fields that an object may have, each with its kind. */
export type Fields = Readonly<Record<string, Kind>>;

/** Text with something to read in it. */
export const text = kind('text that is not empty', (value) => typeof value === 'string' && value.trim() !== '');
/** true or false. */
export const flag = kind('true or false', (value) => typeof value === 'boolean');
/** An object with string keys. */
export const record = kind('an object', isRecord);
/** A function. */
export const callable = kind('a function', (value) => typeof value === 'function');

/** A whole number within bounds, both included. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Kind {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return kind(`a whole number ${range}`, (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most);
}

/** One of some strings. */
export function oneOf(...choices: readonly string[]): Kind {
  return kind(`one of ${choices.map((choice) => `"${choice}"`).join(', ')}`, (value) => typeof value === 'string' && choices.includes(value));
}

/** What `of` says, or nothing at all. */
export function optional(of: Kind): Kind {
  return (value, place) => (value === undefined ? [] : of(value, place));
}

/** A list whose every item is of a kind. */
export function list(of: Kind): Kind {
  return (value, place) => (Array.isArray(value) ? value.flatMap((item, at) => of(item, `${place}[${at}]`)) : [expected('a list', value, place)]);
}

/** An object whose every value is of a kind, whatever its key. */
export function recordOf(of: Kind): Kind {
  return (value, place) => (isRecord(value) ? Object.entries(value).flatMap(([key, item]) => of(item, within(place, key))) : [expected('an object', value, place)]);
}

/** An object with these fields, and any others. */
export function openFields(known: Fields): Kind {
  return (value, place) => (isRecord(value) ? Object.entries(known).flatMap(([key, of]) => of(value[key], within(place, key))) : [expected('an object', value, place)]);
}

/** An object with these fields and no others. */
export function fields(known: Fields): Kind {
  const open = openFields(known);
  return (value, place) => {
    const unknown = isRecord(value) ? Object.keys(value).filter((key) => !Object.hasOwn(known, key)) : [];
    return [...open(value, place), ...unknown.map((key) => `${within(place, key)} is no field here; known are ${Object.keys(known).join(', ')}`)];
  };
}

/** A kind of its own, by the words for it. */
export function kind(what: string, holds: (value: unknown) => boolean): Kind {
  return (value, place) => (holds(value) ? [] : [expected(what, value, place)]);
}

/** `limits.memMB must be a whole number of at least 1, not "64"`. */
export function expected(what: string, value: unknown, place: string): string {
  return `${place || 'the definition'} must be ${what}, ${value === undefined ? 'but is missing' : `not ${show(value)}`}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function within(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`;
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : typeof value === 'function' ? 'a function' : String(value);
}
