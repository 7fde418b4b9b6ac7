import { countByKind, findPersonalData, personalDataKinds } from '../library/personal-data.mjs';

/** @typedef {import('../library/personal-data.mjs').PersonalDataKind} PersonalDataKind */

export const check = {
  id: 'example.no-personal-data',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      allowed: {
        type: 'array',
        items: { type: 'string', enum: personalDataKinds },
        uniqueItems: true,
        default: [],
        description: 'Kinds that an answer may hold.',
      },
    },
  },

  /**
   * @param {{ allowed?: PersonalDataKind[] }} config
   * @param {{ output?: string }} trace
   */
  evaluate({ allowed = [] }, { output = '' }) {
    const found = findPersonalData(output, personalDataKinds.filter((kind) => !allowed.includes(kind)));
    if (found.length === 0) return { passed: true };
    const counts = countByKind(found);
    // The reason goes into logs and back to the model: kinds and counts only, never what was found.
    const named = personalDataKinds.filter((kind) => counts[kind] > 0).map((kind) => `${kind} (${counts[kind]})`);
    return { passed: false, reason: `The answer holds personal data: ${named.join(', ')}.`, attributes: { counts } };
  },
};

export default {
  id: 'example.no-personal-data',
  name: 'No personal data in the answer',
  kind: 'zero-llm',
  severity: 'critical',
  action: { 'on-violation': 'halt' },
  network: { kind: 'none' },
  config: { allowed: [] },
  check,
};
