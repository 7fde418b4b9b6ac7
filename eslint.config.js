import tseslint from 'typescript-eslint';

/**
 * What each folder may import of ours, nearest to the wire first. A call goes
 * fronts → calls → threads; what is not listed here is not allowed.
 */
const layers = {
  'src/protocol': [],
  'src/sdk': ['protocol'],
  'src/client': ['protocol'],
  'src/guardrails': ['protocol', 'sdk', 'threads'],
  'src/memory': [],
  'src/isolation': ['protocol', 'threads'],
  'src/logging': ['protocol', 'isolation', 'events', 'threads', 'packs'],
  'src/schemas': ['protocol'],
  'src/packs': ['protocol', 'isolation', 'schemas', 'guardrails', 'threads'],
  'src/init': [],
  'src/indexer': ['protocol', 'packs', 'threads'],
  'src/threads': ['protocol', 'packs', 'isolation', 'logging'],
  'src/calls': ['protocol', 'threads', 'packs', 'logging'],
  'src/fronts': ['protocol', 'calls', 'threads', 'packs', 'logging', 'memory'],
  'src/service': ['protocol', 'fronts', 'calls', 'threads', 'packs', 'indexer', 'isolation', 'logging', 'memory', 'guardrails'],
};

const onlyIn = {
  piscina: 'Only src/threads/host/worker-host.ts imports piscina, so that other ways to host threads change one file.',
  yargs: 'Only src/cli imports yargs.',
  'yargs-parser': 'Only src/cli imports yargs.',
};
const packages = (...allowed) =>
  Object.entries(onlyIn)
    .filter(([name]) => !allowed.includes(name))
    .map(([name, message]) => ({ name, message }));

const restrict = (files, patterns, paths = packages()) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { paths, patterns }] },
});

const noCommandLine = { regex: '/cli/', message: 'Nothing imports the command line.' };
const noTests = { regex: '/(test|bench)/', message: 'Nothing imports tests or benchmarks.' };
const noWorkers = { regex: '/workers/', message: 'src knows the workers by their URL alone; they run in threads of their own.' };

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.tap/', 'test/fixtures/', 'src/init/template/', 'bench/peers/'] },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_' }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'workers/**/*.ts'],
    // The guards watch over the environment that pack code sees, and hand it on.
    ignores: ['src/cli/**', 'workers/guards/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: "MemberExpression[object.name='process'][property.name='env']", message: 'The environment is read only where options are parsed (src/cli).' },
        { selector: "CallExpression[callee.object.name='process'][callee.property.name='exit']", message: 'Only src/cli ends the process.' },
      ],
    },
  },
  restrict(['src/*.ts'], [noCommandLine, noTests, noWorkers]),
  ...Object.entries(layers).flatMap(([folder, allowed]) => {
    const message = `${folder} may import ${allowed.length ? allowed.join(', ') : 'nothing'} of ours.`;
    const outside = `(?!(?:${[...allowed, folder.split('/')[1]].join('|')})/)`;
    // Out of the layer it is one step up from its own files, two from those of a folder within.
    return [
      restrict([`${folder}/*.ts`], [{ regex: `^\\.\\./${outside}`, message }, noWorkers]),
      restrict([`${folder}/*/*.ts`], [{ regex: `^\\.\\./\\.\\./${outside}`, message }, noWorkers]),
    ];
  }),
  restrict(['src/threads/host/worker-host.ts'], [noCommandLine, noTests, noWorkers], packages('piscina')),
  restrict(['src/cli/**/*.ts'], [noTests, noWorkers], packages('yargs', 'yargs-parser')),
  restrict(
    ['workers/**/*.ts'],
    [{ regex: '^(?:\\.\\./)+src/(?!(?:protocol|schemas|sdk|isolation|guardrails|logging|threads/link)/)', message: 'workers import only protocol, schemas, sdk, isolation, guardrails, logging and threads/link.' }],
  ),
  { files: ['test/**/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off', '@typescript-eslint/no-floating-promises': 'off' } },
);
