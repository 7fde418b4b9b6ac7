const text = { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'], additionalProperties: false };

export const input = text;
export const output = text;

/** As little as a handler can do: what remains is the service. */
export const handler = async ({ text }: { text: string }) => ({ text });
