import t from 'tap';
import { builtInCheck, type BuiltInCheckId, builtInCheckIds } from '../../src/checks/index.js';
import { validatorOf } from '../../src/guardrails/validation.js';
import { builtInConfigProblems } from '../../src/sdk/built-in-config.js';
import { DefinitionError, guardrail } from '../../src/sdk/index.js';

const values = [undefined, null, true, -1, 0, 2, 1.5, '', ' ', 'a', '(', '[a]', 'g', 'qq', [], [''], ['a'], [1], [{ id: 'a' }], [{ id: '' }], [{}], {}];
const names = ['minCitations', 'sourcePattern', 'tools', 'max', 'pattern', 'flags', 'negate', 'sequence', 'patterns', 'caseSensitive', 'unknown'];

/** Every config with one or two of the names, each with every value. */
function* configs(): Generator<Record<string, unknown>> {
  yield {};
  for (const [at, first] of names.entries()) {
    for (const one of values) {
      if (one === undefined) continue;
      yield { [first]: one };
      for (const second of names.slice(at + 1)) for (const two of values) if (two !== undefined) yield { [first]: one, [second]: two };
    }
  }
}

/** What the host says of a config, when it comes with a call. */
function isTaken(id: BuiltInCheckId, config: Record<string, unknown>): boolean {
  const check = builtInCheck(id);
  return validatorOf(check.configSchema)(config).length === 0 && (check.issues?.(config) ?? []).length === 0;
}

t.test('a config of a check that comes with the host is refused where it is declared exactly when the host refuses it', (t) => {
  for (const id of builtInCheckIds) {
    const wrong: string[] = [];
    let taken = 0;
    for (const config of configs()) {
      const isOfKind = builtInConfigProblems(id, config, 'config').length === 0;
      if (isOfKind !== isTaken(id, config)) wrong.push(JSON.stringify(config));
      if (isOfKind) taken++;
    }
    t.strictSame(wrong, [], id);
    t.ok(taken > 0, `${id} takes some`);
  }
  t.end();
});

t.test('a wrong config is a DefinitionError that names its field', (t) => {
  t.throws(() => guardrail({ id: 'acme.cites', check: 'must-cite', onViolation: 'halt', config: { minCitations: -1 } }), new DefinitionError('Guardrail "acme.cites"', ['config.minCitations must be a whole number of at least 0, not -1']));
  t.throws(() => guardrail({ id: 'acme.short', check: 'max-tool-calls', onViolation: 'halt', config: { most: 3 } }), /config\.most/);
  t.doesNotThrow(() => guardrail({ id: 'acme.short', check: 'max-tool-calls', onViolation: 'halt', config: { max: 3 } }));
  t.end();
});
