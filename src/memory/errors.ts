/** What a memory refuses, or cannot do. */
export type MemoryErrorCode =
  /** The URL, an option or an argument is none. */
  | 'invalid-argument'
  /** A record breaks memory schema 1.3.0. */
  | 'invalid-record'
  /** The package of the engine is not installed, or does not run here. */
  | 'engine-missing'
  /** There is no database at the URL, or not one of ours, or a later version's. */
  | 'unusable-database'
  /** Other writers held the database for too long. */
  | 'busy'
  /** The memory is closed. */
  | 'closed'
  /** The tenant has an entry of that id. */
  | 'duplicate-id'
  /** `causedByLogId` names an entry that the tenant does not have. */
  | 'unknown-cause'
  /** A stored row is not what was written. */
  | 'broken-chain'
  /** What is to be imported is no export, or does not fit what is there. */
  | 'broken-import'
  /** Heads whose signature does not fit. */
  | 'bad-signature'
  /** The fact has another version than `expectedVersion`. */
  | 'version-conflict'
  /** There is no such fact. */
  | 'no-such-fact'
  /** A legal hold, or a time to be kept until, keeps the fact. */
  | 'legal-hold'
  | 'retained'
  /** A blob is gone, or is not what was written. */
  | 'blob-missing'
  | 'blob-changed'
  /** The fact's source has no handler, or the handler failed. */
  | 'no-handler'
  | 'refresh-failed'
  /** The memory was opened without an embedding function. */
  | 'no-embedding'
  /** The journal's thread could not start. */
  | 'no-thread';

/** Everything a memory throws of its own. */
export class MemoryError extends Error {
  override readonly name: string = 'MemoryError';
  readonly code: MemoryErrorCode;

  constructor(code: MemoryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What is wrong with one field of a record; the path's parts are joined by dots. */
export interface RecordIssue {
  readonly field: string;
  readonly message: string;
}

/** A record that breaks the schema, with every issue. */
export class InvalidRecord extends MemoryError {
  override readonly name = 'InvalidRecord';
  readonly issues: readonly RecordIssue[];

  constructor(what: string, issues: readonly RecordIssue[]) {
    super('invalid-record', `The ${what} is invalid: ${issues.map(({ field, message }) => `${field === '' ? 'it' : field} ${message}`).join('; ')}`);
    this.issues = issues;
  }
}
