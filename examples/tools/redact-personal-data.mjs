import { personalDataKinds, redactPersonalData } from '../library/personal-data.mjs';

/** @typedef {import('../library/personal-data.mjs').PersonalDataKind} PersonalDataKind */

const count = { type: 'integer', minimum: 0 };

export default {
  id: 'example.redact-personal-data',
  description: 'Replaces email addresses, IBANs, credit card numbers, IPv4 addresses and phone numbers in a text by [email], [iban], [credit-card], [ipv4] and [phone], and counts them.',
  mutating: false,
  network: { kind: 'none' },
  input: {
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: {
      text: { type: 'string', maxLength: 1_000_000 },
      kinds: {
        type: 'array',
        items: { type: 'string', enum: personalDataKinds },
        minItems: 1,
        uniqueItems: true,
        default: personalDataKinds,
        description: 'What to redact.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['text', 'counts'],
    additionalProperties: false,
    properties: {
      text: { type: 'string' },
      counts: {
        type: 'object',
        description: 'How many of each kind were redacted.',
        required: personalDataKinds,
        additionalProperties: false,
        properties: { email: count, iban: count, 'credit-card': count, ipv4: count, phone: count },
      },
    },
  },

  /** @param {{ text: string, kinds: PersonalDataKind[] }} input */
  handler: ({ text, kinds }) => redactPersonalData(text, kinds),
};
