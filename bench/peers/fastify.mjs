/** fastify with the handler in the same thread; the input is validated and the output serialized by schema. */
import fastify from 'fastify';
import { answer, input, output } from './handler.mjs';

const message = {
  type: 'object',
  required: ['v', 'kind', 'tool', 'input', 'ctx'],
  properties: {
    v: { const: 2 },
    kind: { const: 'invoke' },
    tool: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    input,
    ctx: { type: 'object', required: ['tenantId', 'runId'], properties: { tenantId: { type: 'string' }, runId: { type: 'string' } } },
  },
};
const result = { type: 'object', properties: { v: { type: 'integer' }, kind: { type: 'string' }, output } };

const server = fastify({ bodyLimit: 16 * 1024 * 1024 });
server.post('/v1/invoke', { schema: { body: message, response: { 200: result } } }, (request) => answer(request.body));
await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
