import { createPrivateKey, createPublicKey, type KeyLike, KeyObject, sign, verify } from 'node:crypto';
import type { Queries } from '../database/database.js';
import { MemoryError } from '../errors.js';
import { canonicalJson } from '../hashing/canonical.js';
import { beginning, type Link } from '../hashing/chain.js';
import { selected, type Selection } from './selection.js';

/** The end of a chain as it was when its last entry was appended: kept apart, it tells when entries are missing. */
export interface Head {
  readonly tenantId: string;
  readonly runId: string;
  readonly sequence: number;
  readonly entryHash: string;
  readonly seal: string;
}

/** A head as the table `memory_log_heads` holds it. */
export interface HeadRow extends Link {
  readonly tenant_id: string;
  readonly run_id: string;
  readonly sequence: number;
  readonly timestamp: string;
}

const columns = 'tenant_id, run_id, sequence, timestamp, entry_hash, seal';
const pageSize = 500;

export function headOf(row: HeadRow): Head {
  return { tenantId: row.tenant_id, runId: row.run_id, sequence: row.sequence, entryHash: row.entry_hash, seal: row.seal };
}

/** A chain's head, if it has one. */
export async function findHead(queries: Queries, tenantId: string, runId: string): Promise<HeadRow | undefined> {
  const [row] = await queries.query<HeadRow>(`SELECT ${columns} FROM memory_log_heads WHERE tenant_id = $1 AND run_id = $2 AND sequence >= 0`, [tenantId, runId]);
  return row;
}

/** The heads of a selection, in byte order. */
export async function* headsOf(queries: Queries, selection: Selection): AsyncGenerator<Head> {
  const { where, values } = selected(selection);
  const after = `(tenant_id, run_id) > ($${values.length + 1}, $${values.length + 2})`;
  for (let last: HeadRow | undefined; ; ) {
    const from = last === undefined ? '' : `AND ${after}`;
    const rows: HeadRow[] = await queries.query<HeadRow>(
      `SELECT ${columns} FROM memory_log_heads WHERE ${where} AND sequence >= 0 ${from} ORDER BY tenant_id, run_id LIMIT ${pageSize}`,
      last === undefined ? values : [...values, last.tenant_id, last.run_id],
    );
    for (const row of rows) yield headOf(row);
    last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
  }
}

/** A chain's head, which nobody else may move until the transaction ends; a new chain's is before sequence 0. */
export async function lockHead(queries: Queries, forUpdate: string, tenantId: string, runId: string): Promise<HeadRow> {
  const find = async (): Promise<HeadRow | undefined> => {
    const [row] = await queries.query<HeadRow>(`SELECT ${columns} FROM memory_log_heads WHERE tenant_id = $1 AND run_id = $2${forUpdate}`, [tenantId, runId]);
    return row;
  };
  const known = await find();
  if (known !== undefined) return known;
  const first: HeadRow = { tenant_id: tenantId, run_id: runId, sequence: -1, timestamp: '', ...beginning };
  await queries.query(
    `INSERT INTO memory_log_heads (${columns}) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, run_id) DO NOTHING`,
    [tenantId, runId, first.sequence, first.timestamp, first.entry_hash, first.seal],
  );
  // Another process may have been first, and have moved it since.
  return (await find()) ?? first;
}

export async function moveHead(queries: Queries, head: HeadRow): Promise<void> {
  await queries.query('UPDATE memory_log_heads SET sequence = $1, timestamp = $2, entry_hash = $3, seal = $4 WHERE tenant_id = $5 AND run_id = $6', [
    head.sequence, head.timestamp, head.entry_hash, head.seal, head.tenant_id, head.run_id,
  ]);
}

/** Heads to keep apart from the database, under a signature that the database's owner cannot make. */
export interface SignedHeads {
  readonly v: 1;
  /** ISO 8601, UTC. */
  readonly signedAt: string;
  readonly heads: readonly Head[];
  /** Ed25519 over the canonical JSON of the other fields, in base64. */
  readonly signature: string;
}

/** Signs heads with an Ed25519 private key. */
export function signHeads(heads: readonly Head[], privateKey: KeyLike, now: () => number = Date.now): SignedHeads {
  const key = ed25519(privateKey instanceof KeyObject ? privateKey : createPrivateKey(privateKey));
  const signedAt = new Date(now()).toISOString();
  return { v: 1, signedAt, heads, signature: sign(null, signedBytes(signedAt, heads), key).toString('base64') };
}

/** Answers the heads if their signature is the key's; throws MemoryError `bad-signature` otherwise. */
export function checkSignedHeads(signed: SignedHeads, publicKey: KeyLike): readonly Head[] {
  const key = ed25519(publicKey instanceof KeyObject ? publicKey : createPublicKey(publicKey));
  const fits = signed.v === 1 && verify(null, signedBytes(signed.signedAt, signed.heads), key, Buffer.from(signed.signature, 'base64'));
  if (!fits) throw new MemoryError('bad-signature', 'The heads are not what was signed with this key');
  return signed.heads;
}

function ed25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'ed25519') throw new MemoryError('invalid-argument', `The key is of type ${String(key.asymmetricKeyType)}; heads are signed with ed25519`);
  return key;
}

function signedBytes(signedAt: string, heads: readonly Head[]): Buffer {
  return Buffer.from(canonicalJson({ v: 1, signedAt, heads }, 'signed heads', 'heads') ?? '', 'utf8');
}
