import { builtInCheck } from '../src/guardrails/checks/index.js';
import { usersOf } from '../src/protocol/module-users.js';
import type { BuiltInCheckEntry, PackCheckEntry, SchemaWarning, ThreadPack, ToolEntry, ToolName } from '../src/protocol/threads.js';
import { combinedCheck } from './combined-check.js';
import { SchemaCompiler, type Validator } from './schemas.js';
import { type PackFunction, selectCheck, selectHandler } from './select-export.js';
import { type Parser, parserOf } from './standard-schema.js';
import { causeOf, messageOf } from '../src/protocol/thrown.js';
import type { Cause } from '../src/protocol/messages.js';

/** A tool ready to be called. */
export interface LoadedTool {
  readonly id: string;
  readonly version: string | undefined;
  readonly handler: PackFunction;
  readonly validateInput: Validator;
  readonly validateOutput: Validator;
  /** The schema the pack's own code carries, if any. */
  readonly parseInput: Parser | undefined;
}

/** A check ready to be called. */
export interface LoadedCheck {
  readonly id: string;
  readonly evaluate: PackFunction;
  readonly validateConfig: Validator | undefined;
}

/** Everything a thread can be asked to run. */
export interface LoadedPack {
  /** By id; several versions may stand side by side. */
  readonly tools: ReadonlyMap<string, readonly LoadedTool[]>;
  /** Every tool of the whole pack by id, those of other threads included. */
  readonly catalog: ReadonlyMap<string, readonly ToolName[]>;
  readonly checks: ReadonlyMap<string, LoadedCheck>;
  readonly warnings: readonly SchemaWarning[];
}

/** What loading came to: everything, or every problem. */
export type Preloaded = { readonly kind: 'loaded'; readonly pack: LoadedPack } | { readonly kind: 'failed'; readonly problems: readonly string[] };

type Modules = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/**
 * Imports every module and compiles every schema, so that no call ever waits for either. Goes on
 * after a failure, to report all of them at once. `progress` counts the imports begun: a module that
 * never finishes can be named by whoever gives up on this thread.
 */
export async function preload(pack: ThreadPack, progress: Int32Array): Promise<Preloaded> {
  const problems: string[] = [];
  const modules = await importModules(pack, progress, problems);
  const warnings: SchemaWarning[] = [];
  const inputs = new SchemaCompiler({ fillDefaults: true });
  const others = new SchemaCompiler({ fillDefaults: false });
  const compile = (compiler: SchemaCompiler, schema: unknown, where: Omit<SchemaWarning, 'message'>): Validator => {
    const name = where.tool === undefined ? `Check "${where.check}"` : `Tool "${where.tool}"`;
    try {
      const compiled = compiler.compile(schema);
      warnings.push(...compiled.warnings.map((warning) => ({ ...where, message: `${name}, ${where.schema} schema: ${warning}` })));
      return compiled.validate;
    } catch (error) {
      problems.push(`${name}: its ${where.schema} schema does not compile: ${messageOf(causeOf(error))}`);
      return () => undefined;
    }
  };

  const tools = new Map<string, LoadedTool[]>();
  for (const tool of pack.tools) {
    const validateInput = compile(inputs, tool.input, { tool: tool.id, schema: 'input' });
    const validateOutput = compile(others, tool.output, { tool: tool.id, schema: 'output' });
    const handler = find(modules, tool, problems);
    if (handler === undefined) continue;
    const loaded = { id: tool.id, version: tool.version, handler, validateInput, validateOutput, parseInput: parserOf(handler.owner) };
    tools.set(tool.id, [...(tools.get(tool.id) ?? []), loaded]);
  }
  const checks = new Map<string, LoadedCheck>();
  for (const check of pack.checks) {
    if (check.kind !== 'pack') {
      checks.set(check.id, check.kind === 'built-in' ? loadBuiltIn(check, others) : combinedCheck(check.id, checks));
      continue;
    }
    const validateConfig = check.configSchema === undefined ? undefined : compile(others, check.configSchema, { check: check.id, schema: 'configSchema' });
    const evaluate = findCheck(modules, check, problems);
    if (evaluate !== undefined) checks.set(check.id, { id: check.id, evaluate, validateConfig });
  }
  return problems.length > 0 ? { kind: 'failed', problems } : { kind: 'loaded', pack: { tools, catalog: catalogOf(pack.catalog), checks, warnings } };
}

function catalogOf(names: readonly ToolName[]): Map<string, ToolName[]> {
  const catalog = new Map<string, ToolName[]>();
  for (const name of names) catalog.set(name.id, [...(catalog.get(name.id) ?? []), name]);
  return catalog;
}

async function importModules(pack: ThreadPack, progress: Int32Array, problems: string[]): Promise<Modules> {
  const modules = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [at, { modulePath, url }] of pack.modules.entries()) {
    Atomics.store(progress, 0, at + 1);
    try {
      modules.set(modulePath, (await import(url)) as Record<string, unknown>);
    } catch (error) {
      problems.push(`${usersOf(pack, modulePath)}: cannot import ${modulePath}: ${chainOf(causeOf(error))}`);
    }
  }
  return modules;
}

function find(modules: Modules, tool: ToolEntry, problems: string[]): PackFunction | undefined {
  const module = modules.get(tool.modulePath);
  if (module === undefined) return undefined;
  const handler = selectHandler(module, tool);
  if (handler === undefined) {
    problems.push(`Tool "${tool.id}": ${tool.modulePath} exports no handler (handler-shape-invalid): a function at \`default\`, \`handler\` or \`run\`, or an object there with one`);
  }
  return handler;
}

/** One of packhost's own checks; its config is held to that check's schema, whatever the index says of it. */
function loadBuiltIn({ id, checkId }: BuiltInCheckEntry, compiler: SchemaCompiler): LoadedCheck {
  const check = builtInCheck(checkId);
  const { validate } = compiler.compile(check.configSchema);
  const validateConfig: Validator = (config) => {
    const issues = [...(validate(config) ?? []), ...(check.issues?.(config as Readonly<Record<string, unknown>>) ?? [])];
    return issues.length > 0 ? issues : undefined;
  };
  return { id, evaluate: { call: (config, trace) => check.evaluate(config as Readonly<Record<string, unknown>>, trace), owner: undefined }, validateConfig };
}

function findCheck(modules: Modules, check: PackCheckEntry, problems: string[]): PackFunction | undefined {
  const module = modules.get(check.modulePath);
  if (module === undefined) return undefined;
  const evaluate = selectCheck(module, check.guardrailId, check.id);
  if (evaluate === undefined) {
    problems.push(`Check "${check.id}": ${check.modulePath} exports no check (check-shape-invalid): \`evaluate\`, or a function or an object with \`evaluate\` at \`default\` or \`check\``);
  }
  return evaluate;
}

function chainOf(cause: Cause): string {
  const own = `${cause.name}: ${cause.message}`;
  return cause.cause === undefined ? own : `${own} (cause: ${chainOf(cause.cause)})`;
}
