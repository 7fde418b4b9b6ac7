import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextForTest } from 'packhost/sdk';
import greet from '../tools/greet.ts';

test('greets by name', async () => {
  assert.deepEqual(await greet.handler({ name: 'Ada' }, contextForTest({ tool: greet })), { greeting: 'Hello, Ada!' });
});
