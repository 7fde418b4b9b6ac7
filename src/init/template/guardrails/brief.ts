import { guardrail } from 'packhost/sdk';

export default guardrail({
  id: 'my-pack.brief',
  name: 'An answer is brief',
  onViolation: 'retry',
  network: { kind: 'none' },
  config: { words: 100 },
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: { words: { type: 'integer', minimum: 1 } },
  },

  check({ words = 100 }, { output = '' }) {
    const count = output.split(/\s+/).filter(Boolean).length;
    return count <= words ? { passed: true } : { passed: false, reason: `It has ${count} words; ${words} are allowed.` };
  },
});
