import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const bench = fileURLToPath(new URL('../../bench/main.js', import.meta.url));
const run = promisify(execFile);

/** The fields a reader of bench/results relies on. */
interface Result {
  readonly scenario: string;
  readonly date: string;
  readonly quick: boolean;
  readonly flags: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly metrics: readonly { readonly name: string }[];
  readonly results: readonly {
    readonly target: string;
    readonly parameters: Readonly<Record<string, string | number>>;
    readonly rounds: readonly Readonly<Record<string, number>>[];
    readonly summary: Readonly<Record<string, Readonly<Record<'median' | 'min' | 'max', number>>>>;
    readonly ratios: Readonly<Record<string, Readonly<Record<'median' | 'min' | 'max', number>>>>;
  }[];
}

const readResult = async (folder: string, scenario: string): Promise<Result> =>
  JSON.parse(await readFile(join(folder, `${scenario}.json`), 'utf8')) as Result;

// Two cores that also run the other tests take their time.
t.setTimeout(115_000);

// What is asserted is that the benchmark runs and reports, never how fast anything was.
t.test('a quick benchmark without peers', async (t) => {
  const output = t.testdir({});
  const { stdout } = await run(process.execPath, [bench, '--quick', '--only', 'startup,throughput', '--no-peers', '--output', output]);

  t.test('prints a table for each scenario', async (t) => {
    t.match(stdout, /^startup: /m);
    t.match(stdout, /^throughput: /m);
  });

  for (const scenario of ['startup', 'throughput']) {
    t.test(`writes ${scenario}.json with its circumstances, rounds and summary`, async (t) => {
      const result = await readResult(output, scenario);
      t.equal(result.scenario, scenario);
      t.equal(result.quick, true);
      t.notOk(Number.isNaN(Date.parse(result.date)), 'a date');
      t.hasProps(result.versions, ['node', 'packhost']);
      t.hasProps(result.machine, ['cores', 'model', 'memoryMiB', 'kernel', 'system']);
      t.same(new Set(result.results.map(({ target }) => target)), new Set(['packhost', 'node:http']));
      for (const { rounds, summary } of result.results) {
        for (const { name } of result.metrics) {
          t.equal(rounds.filter((round) => Number.isFinite(round[name])).length, rounds.length, `${name} in every round`);
          t.hasProps(summary[name] ?? {}, ['median', 'min', 'max']);
        }
      }
    });
  }

  t.test('takes the ratios to the floor round by round', async (t) => {
    const { results } = await readResult(output, 'throughput');
    const own = results.find(({ target, parameters }) => target === 'packhost' && parameters['connections'] === 16);
    const floor = results.find(({ target, parameters }) => target === 'node:http' && parameters['connections'] === 16);
    const expected = own?.rounds.map((round, index) => (round['callsPerSecond'] ?? NaN) / (floor?.rounds[index]?.['callsPerSecond'] ?? NaN)) ?? [];
    t.equal(own?.ratios['callsPerSecond']?.min, Math.min(...expected));
    t.equal(own?.ratios['callsPerSecond']?.max, Math.max(...expected));
  });

  t.test('draws the throughput', async (t) => {
    const picture = await readFile(join(output, 'throughput.svg'), 'utf8');
    t.match(picture, /^<svg /);
    t.match(picture, />packhost</);
  });
});

t.test('an unknown scenario is refused by name, and nothing runs', async (t) => {
  await t.rejects(run(process.execPath, [bench, '--only', 'nonsense']), { code: 1, stderr: /nonsense/ });
});
