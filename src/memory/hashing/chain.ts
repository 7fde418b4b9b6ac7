import type { EntryRow } from '../log/entry-rows.js';
import { scopeText } from '../records/scope.js';
import { sha256 } from './canonical.js';

/** What the first entry of a chain has for the hash of the one before. */
export const zeroHash = `sha256:${'0'.repeat(64)}`;

/** What the next entry of a chain is linked to. */
export interface Link {
  readonly entry_hash: string;
  readonly seal: string;
}

/** What comes before sequence 0. */
export const beginning: Link = { entry_hash: zeroHash, seal: zeroHash };

type Covered = Omit<EntryRow, 'entry_hash' | 'seal' | 'content_hash' | 'caused_by'>;

/**
 * The canonical JSON that an entry's hash is taken of. A row holds its payload as canonical JSON
 * already, so the text is put together rather than made anew: verifying parses nothing.
 */
function entryText(row: Covered): string {
  const actor = row.actor === null ? '' : `"actor":${JSON.stringify(row.actor)},`;
  const payload = row.payload === null ? '' : `"payload":${row.payload},`;
  return (
    `{${actor}"id":${JSON.stringify(row.id)},"kind":${JSON.stringify(row.kind)},${payload}"prevHash":${JSON.stringify(row.prev_hash)},` +
    `"runId":${JSON.stringify(row.run_id)},"scope":${scopeText(row)},"sequence":${row.sequence},"timestamp":${JSON.stringify(row.timestamp)}}`
  );
}

/** The hash that the next entry commits to. */
export function entryHash(row: Covered): string {
  return sha256(entryText(row));
}

/**
 * The schema's hash leaves out `causedByLogId` and `contentHash`. A chain of seals, kept beside the
 * entries and in the heads, covers them: each is over the entry's hash, these two, and the seal before.
 */
export function sealOf(row: Pick<EntryRow, 'caused_by' | 'content_hash' | 'entry_hash'>, previous: string): string {
  const causedBy = row.caused_by === null ? '' : `"causedByLogId":${JSON.stringify(row.caused_by)},`;
  const content = row.content_hash === null ? '' : `"contentHash":${JSON.stringify(row.content_hash)},`;
  return sha256(`{${causedBy}${content}"entryHash":${JSON.stringify(row.entry_hash)},"prevSeal":${JSON.stringify(previous)}}`);
}

/** Whether a row is what was written after `previous`. Entries from elsewhere may be without a `contentHash`. */
export function follows(row: EntryRow, previous: Link): boolean {
  return (
    row.prev_hash === previous.entry_hash &&
    // SQLite gives bytes for a text whose type was changed in the file.
    (row.payload === null || typeof row.payload === 'string') &&
    row.entry_hash === entryHash(row) &&
    (row.content_hash === null || (row.payload !== null && row.content_hash === sha256(row.payload))) &&
    row.seal === sealOf(row, previous.seal)
  );
}
