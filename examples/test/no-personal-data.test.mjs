import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import noPersonalData from '../guardrails/no-personal-data.mjs';

const judge = (output, config = {}) => noPersonalData.check.evaluate(config, { output });

describe('example.no-personal-data', () => {
  it('passes an answer without personal data, and no answer', () => {
    for (const output of ['All is well since 2024-01-15.', '', undefined]) assert.deepEqual(judge(output), { passed: true });
  });

  it('says how many of which kind it found, and never what', () => {
    const result = judge('Write to joe@example.com or ann@example.com, or call 555-123-4567.');
    assert.equal(result.passed, false);
    assert.deepEqual(result.attributes.counts, { email: 2, iban: 0, 'credit-card': 0, ipv4: 0, phone: 1 });
    assert.match(result.reason, /email \(2\), phone \(1\)/);
    assert.doesNotMatch(JSON.stringify(result), /joe|ann|4567/);
  });

  it('lets the allowed kinds pass, and no others', () => {
    assert.equal(judge('The server is 10.0.0.1.', { allowed: ['ipv4'] }).passed, true);
    assert.equal(judge('The server is 10.0.0.1, ask joe@example.com.', { allowed: ['ipv4'] }).passed, false);
  });
});
