import type { CallIds } from './call-tags.js';

/** Whom a message is for and on whose behalf, as far as its bytes say so. */
export interface Envelope {
  readonly target: 'tool' | 'check' | undefined;
  readonly id: string | undefined;
  readonly version: string | undefined;
  readonly ids: CallIds;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

/** Ids and keys longer than this are cut in records; no id of an index comes near it. */
const maxCaptureBytes = 1024;

/** Where a native search for the closing quote starts to cost less than looking at each byte. */
const nativeSearchFrom = 32;

const groups = ['tool', 'check', 'ctx', 'trace'] as const;
type Group = (typeof groups)[number];

/** What a record or the way of a call needs of a group. */
class GroupStrings {
  id: string | undefined = undefined;
  version: string | undefined = undefined;
  tenantId: string | undefined = undefined;
  runId: string | undefined = undefined;
  requestId: string | undefined = undefined;
  projectId: string | undefined = undefined;
  orgId: string | undefined = undefined;

  /** Its other keys are nobody's business here. */
  static has(key: string): key is keyof GroupStrings {
    return Object.hasOwn(none, key);
  }
}

const none = new GroupStrings();

/**
 * Reads the envelope of a message from its bytes as they arrive, without parsing it: the main
 * thread must know whom a call is for even when its worker never gets to say so, and parsing ten
 * megabytes there would hold up everybody else. It trusts nothing and refuses nothing; the worker
 * parses the message and is the judge of it. As with JSON.parse, the last of two equal keys wins.
 */
export class EnvelopeReader {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The string that is being read matters; its bytes are kept in #raw, one character each. */
  #capturing = false;
  #raw = '';
  /** A string that comes next is a key: after `{` or `,` in an object of depth 1 or 2. */
  #expectsKey = false;
  /** An array at depth 1 or 2 has no keys, whatever its strings look like. */
  #outerIsObject = false;
  #innerIsObject = false;
  /** The last key at depth 1 was `kind`. */
  #isKind = false;
  /** The group that depth 2 is of, and what of it is being read. */
  #group: Group | undefined;
  #field: keyof GroupStrings | undefined;
  #kind: string | undefined;
  readonly #strings: Record<Group, GroupStrings | undefined> = { tool: undefined, check: undefined, ctx: undefined, trace: undefined };

  /** Takes the next bytes of the message. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) at = this.#inString ? this.#readString(chunk, at) : this.#readStructure(chunk, at);
  }

  /** What the bytes so far say. */
  envelope(): Envelope {
    const target = this.#kind === 'invoke' ? 'tool' : this.#kind === 'check-invoke' ? 'check' : undefined;
    const { id, version } = (target && this.#strings[target]) ?? none;
    const { tenantId, runId, requestId, projectId, orgId } = this.#strings[target === 'check' ? 'trace' : 'ctx'] ?? none;
    return { target, id, version, ids: { tenantId, runId, requestId, projectId, orgId } };
  }

  #readStructure(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      switch (chunk[at]) {
        case quote:
          this.#openString();
          return at + 1;
        case openBrace:
          this.#open(true);
          break;
        case openBracket:
          this.#open(false);
          break;
        case closeBrace:
        case closeBracket:
          this.#depth--;
          this.#expectsKey = false;
          break;
        case comma:
          this.#expectsKey = (this.#depth === 1 && this.#outerIsObject) || (this.#depth === 2 && this.#innerIsObject);
          break;
        case colon:
          this.#expectsKey = false;
          break;
        default:
      }
    }
    return chunk.length;
  }

  #open(isObject: boolean): void {
    this.#depth++;
    if (this.#depth === 1) this.#outerIsObject = isObject;
    if (this.#depth === 2) this.#innerIsObject = isObject;
    this.#expectsKey = isObject && this.#depth <= 2;
  }

  #openString(): void {
    this.#inString = true;
    this.#capturing = this.#matters();
    this.#raw = '';
  }

  /** Whether the string that begins is a key that may name something, or the value of one that did. */
  #matters(): boolean {
    if (this.#expectsKey) return this.#depth === 1 || this.#group !== undefined;
    return this.#depth === 1 ? this.#isKind : this.#depth === 2 && this.#field !== undefined;
  }

  #readString(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at++;
    }
    const near = Math.min(chunk.length, at + nativeSearchFrom);
    while (at < near) {
      const byte = chunk[at];
      if (byte === quote) return this.#closeString(chunk, from, at);
      at += byte === backslash ? 2 : 1;
    }
    while (at < chunk.length) {
      const found = chunk.indexOf(quote, at);
      const end = found < 0 ? chunk.length : found;
      let slashes = 0;
      while (end - slashes > at && chunk[end - slashes - 1] === backslash) slashes++;
      const endIsEscaped = slashes % 2 === 1;
      if (found >= 0 && !endIsEscaped) return this.#closeString(chunk, from, found);
      at = found < 0 ? end + (endIsEscaped ? 1 : 0) : found + 1;
    }
    // Past the end by one: the last byte was a backslash, and the next chunk starts with what it escapes.
    this.#escaped = at > chunk.length;
    this.#capture(chunk, from, chunk.length);
    return chunk.length;
  }

  #closeString(chunk: Buffer, from: number, end: number): number {
    this.#capture(chunk, from, end);
    this.#inString = false;
    if (this.#capturing) this.#keep(this.#text());
    return end + 1;
  }

  #capture(chunk: Buffer, from: number, end: number): void {
    if (!this.#capturing || this.#raw.length >= maxCaptureBytes) return;
    // Kept byte for byte: a character may straddle two chunks.
    this.#raw += chunk.toString('latin1', from, Math.min(end, from + maxCaptureBytes - this.#raw.length));
  }

  #text(): string {
    const text = isAscii(this.#raw) ? this.#raw : Buffer.from(this.#raw, 'latin1').toString('utf8');
    if (!text.includes('\\')) return text;
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      return text;
    }
  }

  #keep(text: string): void {
    if (this.#expectsKey) this.#keepKey(text);
    else if (this.#depth === 1) this.#kind = text;
    else if (this.#group !== undefined && this.#field !== undefined) (this.#strings[this.#group] ??= new GroupStrings())[this.#field] = text;
  }

  #keepKey(key: string): void {
    if (this.#depth === 1) {
      this.#isKind = key === 'kind';
      this.#group = isGroup(key) ? key : undefined;
      this.#field = undefined;
      if (this.#isKind) this.#kind = undefined;
      if (this.#group !== undefined) this.#strings[this.#group] = undefined;
    } else {
      this.#field = GroupStrings.has(key) ? key : undefined;
      const strings = this.#group && this.#strings[this.#group];
      if (strings !== undefined && this.#field !== undefined) strings[this.#field] = undefined;
    }
  }
}

function isGroup(key: string): key is Group {
  return groups.includes(key as Group);
}

function isAscii(latin1: string): boolean {
  for (let at = 0; at < latin1.length; at++) if (latin1.charCodeAt(at) > 0x7f) return false;
  return true;
}
