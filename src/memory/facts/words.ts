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
