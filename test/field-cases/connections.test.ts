import type http from 'node:http';
import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';
import { farDeadline } from './calls.js';

t.test('a caller that sends fifty megabytes reads its 413, whether it declared them or not (nick-pape/grackle#1263)', async (t) => {
  const service = await serve(t, { pack: 'waits-as-told', args: ['--min-threads', '1', '--max-threads', '1'] });
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  /** Sends one megabyte after another, as fast as the service takes them, and never looks at the answer meanwhile. */
  const sendFifty = (request: http.ClientRequest): void => {
    for (let sent = 0; sent < 50; sent++) request.write(megabyte);
  };
  const json = { 'content-type': 'application/json' };
  for (let round = 0; round < 3; round++) {
    const declared = await service.request('POST', '/v1/invoke', { headers: { ...json, 'content-length': 50 * megabyte.length }, onRequest: sendFifty });
    t.match(declared, { status: 413, body: { error: String } }, 'declared');
    const chunked = await service.request('POST', '/v1/invoke', { headers: json, onRequest: sendFifty });
    t.match(chunked, { status: 413, body: { error: String } }, 'chunked');
  }
  t.strictSame(outputOf(await service.invoke(toolCall('echo', { still: 'here' }), farDeadline)), { still: 'here' });
});
