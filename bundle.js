/*
 * The last step of a build: writes what each start loads, the command and the worker threads' code, as a few
 * files in place of the compiler's own. Node finds, reads and links each module by itself, and a start has two
 * hundred of them; a thread that takes another's place after a deadline starts so too.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** By the folder that takes what the entries share. */
const bundles = {
  'src/cli': ['src/cli/main.ts'],
  // Together: the classes whose instances a thread hands to a pack are those that the pack imports.
  'workers/serve': ['workers/serve/pack-worker.ts', 'src/sdk/index.ts'],
};
/** Bundled with it; the others are not needed at every start, have files of their own to load, or are not JavaScript alone. */
const bundledPackages = ['ajv', 'ajv-formats', 'fastest-levenshtein', 'yargs-parser'];
const chunkPrefix = 'bundled-';
const noticesFile = 'dist/bundled-licenses.txt';

const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const external = Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !bundledPackages.includes(name));

/** A module finds the files beside it by its own URL, and keeps it wherever its code comes to lie. */
const keepModuleUrls = (folder) => ({
  name: 'keep-module-urls',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const built = relative(folder, path.replace(/\.ts$/, '.js'));
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', `new URL(${JSON.stringify(built)}, import.meta.url).href`), loader: 'ts' };
    }),
});

async function bundle([folder, entryPoints]) {
  for (const file of readdirSync(join('dist', folder))) if (file.startsWith(chunkPrefix)) rmSync(join('dist', folder, file));
  const { metafile } = await build({
    entryPoints,
    outdir: 'dist',
    outbase: '.',
    chunkNames: `${folder}/${chunkPrefix}[hash]`,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    external,
    plugins: [keepModuleUrls(resolve(folder))],
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

/** The licenses of packages ask for their text beside their code. */
function writeNotices(inputs) {
  const packages = [...new Set(inputs.map((input) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]))].filter(Boolean).sort();
  const notices = packages.map((folder) => {
    const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (license === undefined) throw new Error(`${folder} is bundled and has no file of its license; expected one to copy: leave the package out of bundledPackages`);
    return `${relative('node_modules', folder)}\n\n${readFileSync(join(folder, license), 'utf8').trim()}\n`;
  });
  writeFileSync(noticesFile, notices.join(`\n${'-'.repeat(80)}\n\n`));
}

writeNotices((await Promise.all(Object.entries(bundles).map(bundle))).flat());
