/**
 * A process that evaluates guardrails whose checks need a thread. Reads how many, a line; prints a line once their
 * evaluation has begun, and one with their outcomes.
 */
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { evaluateAll, type GuardrailDefinition } from '../../src/guardrails/index.js';

const pattern = (at: number): GuardrailDefinition => ({
  id: `pattern-${at}`, kind: 'zero-llm', check: 'output-matches', config: { pattern: '^a(b|c)+$' }, action: { 'on-violation': 'halt' },
});

process.stdout.write('ready\n');
for await (const count of createInterface({ input: process.stdin })) {
  const guardrails = Array.from({ length: Number(count) }, (_, at) => pattern(at));
  const evaluation = evaluateAll(guardrails, { output: 'abc' }, { timeLimitMs: 10_000 });
  await nextTurn();
  process.stdout.write('begun\n');
  const { outcomes } = await evaluation;
  process.stdout.write(`${JSON.stringify(outcomes)}\n`);
}
