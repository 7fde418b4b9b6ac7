/** What goes between the journal and its thread: data only. */

/** A call that has been answered, as the journal takes it. */
export interface JournalledCall {
  readonly target: 'tool' | 'check';
  /** The tool's or the check's id. */
  readonly id: string;
  readonly tenantId: string;
  readonly runId: string;
  readonly requestId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly orgId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  /** `ok`, or the code of the error message. */
  readonly outcome: string;
  /** When the call came, in milliseconds since 1970. */
  readonly arrivedAt: number;
  readonly durationMs: number;
  /** The message and the answer as `Journal.keep` kept them. */
  readonly message: KeptBody;
  readonly answer: KeptBody;
}

/** A body's JSON text; only its length when it is too large to keep. */
export type KeptBody = string | Uint8Array | { readonly tooLarge: number };

/** Whether inputs and outputs are journalled as content hashes, or whole. */
export type JournalPayloads = 'hashes' | 'whole';

export interface ThreadData {
  readonly url: string;
  readonly payloads: JournalPayloads;
}

export type ToThread = { readonly kind: 'call'; readonly call: JournalledCall } | { readonly kind: 'close' };

export type FromThread =
  | { readonly kind: 'open' }
  | { readonly kind: 'open-failed'; readonly code: string; readonly message: string }
  /** So many calls were settled, of which so many are no records. */
  | { readonly kind: 'settled'; readonly calls: number; readonly refused: number }
  /** The database does not take the calls at present; they are tried again. */
  | { readonly kind: 'failing'; readonly message: string }
  | { readonly kind: 'closed' };
