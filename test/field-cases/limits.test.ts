import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';
import { failure } from './calls.js';

// Fresh memory is slow to touch where other tests share the machine.
t.setTimeout(180_000);
const farDeadline = { 'kindgi-timeout-ms': '60000' };

const args = ['--min-threads', '1', '--max-threads', '1', '--max-concurrency', '8'];

t.test('whatever the shape of what a handler allocates, memMB ends its call and nothing else (nodejs/node#47224)', async (t) => {
  const service = await serve(t, { pack: 'allocates-without-end', args });
  const shapes = ['a linked list', 'a growing map', 'closures', 'small objects, with pauses'];
  for (const shape of shapes) {
    const body = failure(await service.invoke(toolCall('allocate', { shape }), farDeadline), 'handler-throw');
    t.match(body, { toolId: 'allocate', cause: { name: 'ResourceLimitExceeded', limit: 'memMB' } }, shape);
    t.strictSame(outputOf(await service.invoke(toolCall('echo', { after: shape }), farDeadline)), { after: shape });
  }
  t.strictSame(outputOf(await service.invoke(toolCall('modest'), farDeadline)), { done: true }, 'what is given back does not count');
  t.equal(service.ended, undefined, 'the service lives');
});

t.test('memory outside the heap counts under memMB: buffers cannot take half a gigabyte (nodejs/node#43992)', async (t) => {
  const service = await serve(t, { pack: 'allocates-without-end', args });
  for (const shape of ['half a gigabyte of buffers', 'half a gigabyte of array buffers']) {
    const body = failure(await service.invoke(toolCall('allocate', { shape }), farDeadline), 'handler-throw');
    t.match(body, { toolId: 'allocate', cause: { name: 'ResourceLimitExceeded', limit: 'memMB' } }, shape);
    t.strictSame(outputOf(await service.invoke(toolCall('echo', { after: shape }), farDeadline)), { after: shape });
  }
});

t.test('cpuMs bounds the busy time of one call: what waits is not busy, and calls do not add up', async (t) => {
  const service = await serve(t, { pack: 'allocates-without-end', args });
  const body = failure(await service.invoke(toolCall('burn', { busyMs: 20_000 }), farDeadline), 'handler-throw');
  t.match(body, { toolId: 'burn', cause: { name: 'ResourceLimitExceeded', limit: 'cpuMs' } });
  t.match(failure(await service.invoke(toolCall('burn', { busyMs: 6000, idleMs: 600, bits: 60 }), farDeadline), 'handler-throw'), { cause: { limit: 'cpuMs' } }, 'busy in bits');
  t.strictSame(outputOf(await service.invoke(toolCall('burn', { busyMs: 0, idleMs: 1500 }), farDeadline)), { busyMs: 0, idleMs: 1500 }, 'idle for five times the limit');
  for (let call = 0; call < 8; call++) t.strictSame(outputOf(await service.invoke(toolCall('burn', { busyMs: 60 }), farDeadline)), { busyMs: 60, idleMs: 0 }, 'each call has the whole limit');
});
