import { workerData } from 'node:worker_threads';
import type { Definition, DefinitionKind, FileProblem, ReadFile, ReadTask, SourceFile } from '../../src/threads/link/definitions.js';
import { guardMainThread } from '../guards/main-thread.js';
import { supportTypeScript } from '../typescript/support.js';
import { indexedFields } from './fields.js';
import { defaultOf, type Fields, findDefinitions, isObject, unwrapped } from './find-definitions.js';
import { readDefinition } from './read-definition.js';
import { Report, reasonOf } from './report.js';
import type { SchemaReader } from './schema-reader.js';

/*
 * The thread that reads a pack's sources: imports file after file and posts what each declares. A file
 * that never finishes, or ends the thread, is the main thread's to name.
 */
const { port, files, progress, stripper } = workerData as ReadTask;
const begun = new Int32Array(progress);
// Before any pack code runs. A config has no schemas, and need not wait for their compiler.
const schemas = files.some(({ holds }) => holds !== 'config') ? new (await import('./schema-reader.js')).SchemaReader() : undefined;

guardMainThread();
supportTypeScript(files.map(({ url }) => url), stripper);
for (const file of files) {
  Atomics.add(begun, 0, 1);
  port.postMessage(await read(file));
}

async function read({ path, url, holds }: SourceFile): Promise<ReadFile> {
  try {
    const module = (await import(url)) as Fields;
    return { path, ...(holds === 'config' || schemas === undefined ? readConfig(module) : await readModule(module, { url, schemas }, holds)) };
  } catch (error) {
    return { path, definitions: [], problems: importProblems(error) };
  }
}

async function readModule(module: Fields, source: { readonly url: string; readonly schemas: SchemaReader }, holds: readonly DefinitionKind[]): Promise<Omit<ReadFile, 'path'>> {
  const definitions: Definition[] = [];
  const problems: FileProblem[] = [];
  const exported = findDefinitions(module, holds);
  for (const each of exported) {
    const report = new Report(each.kind === 'failed' ? each.name : typeof each.value['id'] === 'string' ? each.value['id'] : each.name);
    if (each.kind === 'failed') report.add('', 'result', `is the error of a definition that could not be made: ${reasonOf(each.error)}`);
    else definitions.push(await readDefinition(each, { ...source, report }));
    problems.push(...report.problems);
  }
  if (exported.length === 0) {
    const report = new Report();
    report.add('', 'no-definition', 'exports no definition, so nothing of it is indexed', { severity: 'warning', hint: 'move helpers out of the folders that discovery searches' });
    problems.push(...report.problems);
  }
  return { definitions, problems };
}

function readConfig(module: Fields): Omit<ReadFile, 'path'> {
  const report = new Report();
  const raw = defaultOf(module);
  if (isObject(raw) && raw['kind'] === 'err' && 'error' in raw) report.add('', 'result', `is the error of a config that could not be made: ${reasonOf(raw['error'])}`);
  const value = unwrapped(raw);
  if (!isObject(value)) {
    report.add('default', 'required', 'must be the config, an object', { hint: "export default { pack: { id: 'acme', version: '1.0.0' } }" });
    return { definitions: [], problems: report.problems };
  }
  return { definitions: [{ kind: 'config', fields: indexedFields('config', value, report) }], problems: report.problems };
}

/** A DefinitionError of the SDK lists its problems, each starting with its field; it may be of another copy of the SDK. */
function importProblems(error: unknown): readonly FileProblem[] {
  const { name, message, problems } = (isObject(error) ? error : {}) as Partial<Record<'name' | 'message' | 'problems', unknown>>;
  if (name === 'DefinitionError' && Array.isArray(problems)) {
    const report = new Report(/"([^"]+)"/.exec(String(message))?.[1]);
    for (const problem of problems as unknown[]) {
      const [, field = '', rest = ''] = /^(\S+?):? (.*)$/s.exec(String(problem)) ?? [];
      report.add(field, 'definition', rest);
    }
    return report.problems;
  }
  const report = new Report();
  report.add('', 'import', `cannot be imported: ${reasonOf(error)}`);
  return report.problems;
}
