import type { Scope } from './scope.js';

/** How long a fact is kept at least; the sweep deletes it afterwards. Without any of it, forever. */
export interface Retention {
  readonly keepUntil?: string;
  /** Days from the version's writing. */
  readonly keepDays?: number;
  /** Nothing deletes the fact until it is released. */
  readonly legalHold?: boolean;
}

export const sourceKinds = ['http-api', 'blob', 'mcp-tool', 'external-db', 'user-input'] as const;
export const refreshStrategies = ['on-read', 'background', 'manual'] as const;

/** Where a fact's truth lives, when the fact is a copy. */
export interface Source {
  readonly kind: (typeof sourceKinds)[number];
  readonly uri?: string;
  readonly freshness: {
    /** Seconds after `lastVerifiedAt` at which the copy is stale; never without. */
    readonly ttlSeconds?: number;
    readonly lastVerifiedAt?: string;
    readonly etag?: string;
    readonly sourceVersion?: string;
  };
  readonly refresh: {
    readonly strategy: (typeof refreshStrategies)[number];
    /** The name of a refresh handler that the memory was opened with. */
    readonly handler?: string;
    /** Higher goes first. */
    readonly priority?: number;
  };
}

/** One version of one fact, as it is stored and read. */
export interface Fact {
  readonly id: string;
  readonly type: string;
  readonly scope: Scope;
  /** Counts up from 1 within the scope and id. */
  readonly version: number;
  /** When the first version was written. */
  readonly createdAt: string;
  /** When this version was written, from the second on. */
  readonly updatedAt?: string;
  readonly content?: unknown;
  /** `blob://PROVIDER/BUCKET/KEY`, where the content is too large to stand inline. */
  readonly contentRef?: string;
  readonly contentHash?: string;
  /** Bytes of the content's canonical JSON. */
  readonly size?: number;
  readonly embeddingModel?: string;
  readonly retention?: Retention;
  readonly source?: Source;
  readonly causedByLogId?: readonly string[];
  /** `ID@VERSION` of the version before. */
  readonly supersedes?: string;
}

/** What the caller says of a version; the rest is assigned when it is put. */
export interface NewFact {
  /** The fact's own scope, which its id is unique in. */
  readonly scope: Scope;
  /** A fact that exists gets a new version; a UUID is made when there is none. */
  readonly id?: string;
  readonly type: string;
  /** Any JSON. */
  readonly content?: unknown;
  /** The version this one is to follow; 0 when there must be none. */
  readonly expectedVersion?: number;
  /** The version before's by default. */
  readonly retention?: Retention;
  readonly source?: Source;
  /** Entries of the same tenant. */
  readonly causedByLogId?: readonly string[];
}
