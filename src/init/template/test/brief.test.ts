import assert from 'node:assert/strict';
import { test } from 'node:test';
import brief from '../guardrails/brief.ts';

async function judge(output: string, config: object): Promise<boolean> {
  if (typeof brief.check === 'string') throw new Error('the check is not of this pack');
  return (await brief.check.evaluate(config, { output })).passed;
}

test('passes what has at most the words allowed', async () => {
  assert.equal(await judge('two words', { words: 2 }), true);
  assert.equal(await judge('now three words', { words: 2 }), false);
});
