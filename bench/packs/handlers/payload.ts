export const input = { type: 'object', properties: { text: { type: 'string' }, answerBytes: { type: 'integer', minimum: 0 } }, required: ['text', 'answerBytes'] };
export const output = { type: 'object', properties: { received: { type: 'integer' }, text: { type: 'string' } }, required: ['received', 'text'] };

const texts = new Map<number, string>();

// Made once per thread and size: the scenario is about carrying bytes, not about making them.
function textOf(length: number): string {
  const text = texts.get(length) ?? 'x'.repeat(length);
  texts.set(length, text);
  return text;
}

/** Takes a body of any size and answers with one of any other. */
export const handler = ({ text, answerBytes }: { text: string; answerBytes: number }) => ({ received: text.length, text: textOf(answerBytes) });
