import { citationKinds, findCitations } from '../library/citations.mjs';

const count = { type: 'integer', minimum: 0 };

export default {
  id: 'example.extract-citations',
  description: 'Lists the citations of a text with their places: numbers such as [1] or [2, 4-6], author and year such as [Smith 2020] or (Smith et al., 2020), DOIs and web addresses.',
  mutating: false,
  network: { kind: 'none' },
  input: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: {
      text: { type: 'string', maxLength: 1_000_000 },
      maximum: { type: 'integer', minimum: 1, maximum: 10_000, default: 1000, description: 'How many citations to list at most.' },
    },
  },
  output: {
    type: 'object',
    required: ['citations', 'counts', 'distinct', 'truncated'],
    additionalProperties: false,
    properties: {
      citations: {
        type: 'array',
        maxItems: 10_000,
        items: {
          type: 'object',
          required: ['kind', 'text', 'value', 'start', 'end'],
          additionalProperties: false,
          properties: {
            kind: { type: 'string', enum: citationKinds },
            text: { type: 'string', description: 'As it stands in the text.' },
            value: { type: 'string', description: 'What is cited, in one form: a DOI in lower case, an address as a browser would write it.' },
            start: { type: 'integer', minimum: 0, description: 'In UTF-16 code units.' },
            end: { type: 'integer', minimum: 1 },
          },
        },
      },
      counts: {
        type: 'object',
        description: 'How many of each kind the whole text has.',
        required: citationKinds,
        additionalProperties: false,
        properties: { number: count, 'author-year': count, doi: count, url: count },
      },
      distinct: { type: 'integer', minimum: 0, description: 'Different values in the whole text.' },
      truncated: { type: 'boolean', description: 'Whether the text has more than are listed.' },
    },
  },

  /** @param {{ text: string, maximum: number }} input */
  handler({ text, maximum }) {
    const citations = findCitations(text);
    const counts = { number: 0, 'author-year': 0, doi: 0, url: 0 };
    for (const { kind } of citations) counts[kind] += 1;
    return {
      citations: citations.slice(0, maximum),
      counts,
      distinct: new Set(citations.map(({ value }) => value)).size,
      truncated: citations.length > maximum,
    };
  },
};
