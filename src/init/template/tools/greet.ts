import { tool } from 'packhost/sdk';

export default tool({
  id: 'my-pack.greet',
  description: 'Greets someone by name.',
  input: {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: { name: { type: 'string', minLength: 1, maxLength: 200 } },
  },
  output: {
    type: 'object',
    required: ['greeting'],
    additionalProperties: false,
    properties: { greeting: { type: 'string' } },
  },
  mutating: false,
  network: { kind: 'none' },

  handler({ name }, ctx) {
    ctx.log.info({ letters: name.length }, 'greeting');
    return { greeting: `Hello, ${name}!` };
  },
});
