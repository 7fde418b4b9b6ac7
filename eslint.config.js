import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.tap/', 'test/fixtures/', 'src/init/template/', 'bench/peers/'] },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      // Or a file that needs types alone would still be loaded.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/only-throw-error': 'error',
      // A promise is awaited, or goes to what reports its failure: `inBackground` of the stream of events, or a handler by `.catch`.
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
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
  { files: ['test/**/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off' } },
  // A tool of the soak leaves a promise behind on purpose, and tap waits for a subtest by itself.
  { files: ['test/**/*.ts', 'bench/soak/tools/**/*.ts'], rules: { '@typescript-eslint/no-floating-promises': 'off' } },
);
