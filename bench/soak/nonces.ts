import { mulberry32 } from './random.js';

/**
 * What tells one call from every other: its place in the plan, and digits that follow from seed and
 * place. So whoever finds a nonce (in an answer, a record, a line of the ledger) knows whose it is and
 * that it is whole, without a list of all of them.
 */
export function nonceOf(seed: number, sequence: number): string {
  const digits = Math.floor(mulberry32(seed ^ Math.imul(sequence + 1, 0x9e3779b1))() * 2 ** 32);
  return `${sequence}.${digits.toString(16).padStart(8, '0')}`;
}

/** The place in the plan of the call whose nonce this is; undefined when it is nobody's. */
export function sequenceOf(seed: number, nonce: unknown): number | undefined {
  if (typeof nonce !== 'string') return undefined;
  const sequence = Number.parseInt(nonce, 10);
  return sequence >= 0 && nonceOf(seed, sequence) === nonce ? sequence : undefined;
}
