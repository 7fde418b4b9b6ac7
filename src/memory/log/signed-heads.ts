import { createPrivateKey, createPublicKey, type KeyLike, KeyObject, sign, verify } from 'node:crypto';
import { MemoryError } from '../errors.js';
import { canonicalJson } from '../hashing/canonical.js';
import type { Head } from './head.js';

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
