import { MemoryError } from '../errors.js';

const longest = 64 * 1024;

/** The words of a text, in lower case: letters, digits and what belongs to them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
}

/** Every text within a content, up to what an index can hold: what is embedded and searched. */
export function textOf(content: unknown): string {
  const texts: string[] = [];
  gather(content, texts);
  return texts.join('\n').slice(0, longest);
}

function gather(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value);
  else if (typeof value === 'number') texts.push(String(value));
  else if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) gather(child, texts);
}

/** How texts become vectors: the caller's, since memory knows no model. */
export interface Embedding {
  /** Kept with each fact: only vectors of the same model are compared. */
  readonly model: string;
  /** One vector a text, in their order, all of one length. */
  embed(texts: readonly string[]): Promise<readonly (readonly number[] | Float32Array)[]>;
}

/** The vector of one text, scaled to length 1; throws MemoryError `no-embedding` when what comes is no vector. */
export async function vectorOf(embedding: Embedding, text: string): Promise<Float32Array> {
  const [vector] = await embedding.embed([text]);
  const values = Float32Array.from(vector ?? []);
  const length = Math.hypot(...values);
  if (!Number.isFinite(length) || length === 0) throw new MemoryError('no-embedding', `The embedding function of ${embedding.model} answered no vector of finite numbers that is not zero`);
  return values.map((value) => value / length);
}
