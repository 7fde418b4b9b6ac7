/*
 * What may import what. A call goes fronts → calls → threads, and what happens on its way goes into the stream of
 * events. Types count as well: a room that needs another's types cannot be read without it.
 */

/** By room, from top to bottom: what it may import of src besides its own files. `:types` allows types alone. */
const rooms = {
  'src/cli/': ['index.ts', 'service', 'events', 'logging', 'packs', 'indexer', 'guardrails', 'memory', 'client', 'init', 'protocol', 'threads', 'isolation', 'sdk'],
  'src/index.ts': ['service', 'events', 'logging', 'packs', 'sdk'],
  'src/service/': ['fronts', 'calls', 'threads', 'events', 'packs', 'indexer', 'isolation', 'logging', 'memory', 'guardrails', 'protocol'],
  'src/fronts/': ['calls', 'events', 'threads/link', 'protocol'],
  'src/calls/': ['threads/schedule', 'threads/link', 'events', 'protocol'],
  'src/threads/*.ts': ['threads', 'events', 'packs', 'isolation', 'protocol'],
  'src/threads/schedule/': ['threads/link', 'threads/host/thread-host.ts', 'events', 'isolation', 'protocol', 'packs:types'],
  'src/threads/host/': ['threads/link', 'isolation', 'logging', 'protocol', 'packs:types'],
  'src/threads/link/': ['logging/log-levels.ts', 'protocol', 'checks:types'],
  'src/events/': ['threads/link', 'isolation', 'protocol', 'packs:types'],
  'src/logging/': ['events', 'threads/link', 'isolation', 'protocol', 'packs:types'],
  'src/indexer/': ['packs', 'threads/host', 'threads/link', 'isolation', 'checks', 'protocol'],
  'src/packs/': ['isolation', 'schemas', 'threads/link', 'checks', 'protocol'],
  'src/guardrails/': ['checks', 'sdk', 'schemas', 'threads/link', 'threads/host/start-worker.ts', 'protocol'],
  'src/memory/': ['threads/host/start-worker.ts'],
  'src/client/': ['protocol'],
  'src/sdk/': ['checks', 'protocol'],
  'src/init/': [],
  'src/schemas/': ['protocol'],
  'src/isolation/': ['threads/link', 'protocol'],
  'src/checks/': ['protocol'],
  'src/protocol/': [],
};

/** What worker threads run, of src; src knows the workers by their URL alone. */
const ofWorkers = ['logging', 'threads/link', 'isolation', 'schemas', 'sdk', 'checks', 'protocol'];

const pattern = (path) => path.replaceAll('.', '\\.').replace('*', '[^/]*').replace(/\.ts$/, '.ts$');
const inSrc = (name) => pattern(`src/${name.endsWith('.ts') ? name : `${name}/`}`);
const anyOf = (patterns) => `^(?:${patterns.join('|')})`;
const ours = '^(?:src|workers|test|bench)/';

const forbid = (name, from, to) => ({ name, severity: 'error', from, to });

function rulesOf([room, listed]) {
  const named = listed.map((name) => name.split(':')[0]);
  const typesOf = listed.filter((name) => name.endsWith(':types')).map((name) => name.split(':')[0]);
  const from = { path: `^${pattern(room)}` };
  return [
    forbid(`${room} imports only ${listed.join(', ') || 'its own files'}`, from, { path: ours, pathNot: anyOf([pattern(room), ...named.map(inSrc)]) }),
    ...typesOf.map((name) => forbid(`${room} imports only types of ${name}`, from, { path: `^${inSrc(name)}`, dependencyTypesNot: ['type-only'] })),
  ];
}

/** A package that one place alone imports, so that another can take its place there. */
const onlyIn = (place, packages) => forbid(`only ${place} imports ${packages}`, { path: ours, pathNot: `^${pattern(place)}` }, { path: `node_modules/(?:@types/)?(?:${packages})/` });

export default {
  forbidden: [
    forbid('no circle of files, types included', {}, { circular: true }),
    ...Object.entries(rooms).flatMap(rulesOf),
    forbid('every room of src is listed in .dependency-cruiser.js', { path: '^src/', pathNot: anyOf(Object.keys(rooms).map(pattern)) }, {}),
    forbid(`workers import only ${ofWorkers.join(', ')} of src`, { path: '^workers/' }, { path: ours, pathNot: anyOf(['workers/', ...ofWorkers.map(inSrc)]) }),
    forbid('benchmarks import no tests', { path: '^bench/' }, { path: '^test/' }),
    onlyIn('src/threads/host/worker-host.ts', 'piscina'),
    onlyIn('src/cli/', 'yargs|yargs-parser'),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:test/fixtures|src/init/template|bench/peers)/' },
  },
};
