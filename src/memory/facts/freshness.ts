import type { Source } from '../records/fact.js';

/** Whether a fact's content still is what its source has. */
export type Freshness =
  /** The fact is nobody's copy. */
  | { readonly kind: 'no-source' }
  | { readonly kind: 'fresh' }
  /** `error` is why the source could not be asked, when it was. */
  | { readonly kind: 'stale'; readonly since: string; readonly error?: string };

/** When a copy becomes stale; undefined for never. */
export function staleAt({ freshness: { ttlSeconds, lastVerifiedAt } }: Source): string | undefined {
  if (ttlSeconds === undefined || lastVerifiedAt === undefined) return undefined;
  return new Date(Math.min(Date.parse(lastVerifiedAt) + ttlSeconds * 1000, Date.parse('9999-12-31T23:59:59.999Z'))).toISOString();
}

export function freshnessOf(source: Source | undefined, now: number): Freshness {
  if (source === undefined) return { kind: 'no-source' };
  const since = staleAt(source);
  return since !== undefined && Date.parse(since) <= now ? { kind: 'stale', since } : { kind: 'fresh' };
}

/** A source that was just asked, with the validators it gave. */
export function verifiedSource(source: Source, now: number, { etag, sourceVersion }: { readonly etag?: string | undefined; readonly sourceVersion?: string | undefined }): Source {
  return {
    ...source,
    freshness: {
      ...source.freshness,
      lastVerifiedAt: new Date(now).toISOString(),
      ...(etag === undefined ? {} : { etag }),
      ...(sourceVersion === undefined ? {} : { sourceVersion }),
    },
  };
}
