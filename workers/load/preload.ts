import { builtInCheck } from '../../src/checks/index.js';
import type { Cause } from '../../src/protocol/messages.js';
import { causeOf } from '../../src/protocol/thrown.js';
import { declaredBy } from '../../src/sdk/call-context.js';
import { httpSpecProblems, type HttpSpec } from '../../src/sdk/http-spec.js';
import { isTool } from '../../src/sdk/tool.js';
import { usersOf } from '../../src/threads/link/thread-pack.js';
import type { BuiltInCheckEntry, PackCheckEntry, ThreadPack, ToolEntry, ToolName } from '../../src/threads/link/thread-pack.js';
import { httpHandler } from '../http-tool/request.js';
import { combinedCheck } from '../serve/combined-check.js';
import type { LoadedCheck, LoadedPack, LoadedTool } from './loaded-pack.js';
import { type PackFunction, selectCheck, selectHandler } from './select-export.js';
import { parserOf } from './standard-schema.js';
import { type Validator, validatorOf } from './validators.js';

/** What loading came to: everything, or every problem. */
export type Preloaded = { readonly kind: 'loaded'; readonly pack: LoadedPack } | { readonly kind: 'failed'; readonly problems: readonly string[] };

type Modules = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/**
 * Imports every module and makes every validator, so that no call ever waits for either. Goes on
 * after a failure, to report all of them at once. `progress` counts the imports begun: a module that
 * never finishes can be named by whoever gives up on this thread. `validators`: the code of the pack's schemas.
 */
export async function preload(pack: ThreadPack, progress: Int32Array, validators: Promise<readonly string[]>): Promise<Preloaded> {
  const problems: string[] = [];
  const modules = await importModules(pack, progress, problems);
  const codes = await validators;
  const validatorAt = (place: number): Validator => validatorOf(codes[place] ?? '');
  const tools = new Map<string, LoadedTool[]>();
  for (const tool of pack.tools) {
    const handler = tool.http === undefined ? find(modules, tool, problems) : requestOf(tool, problems);
    if (handler === undefined) continue;
    const { id, version, inputValidator, outputValidator } = tool;
    const { owner } = handler;
    const validators = { validateInput: validatorAt(inputValidator), validateOutput: validatorAt(outputValidator), parseInput: parserOf(owner) };
    const loaded = { id, version, handler, ...validators, declared: declaredBy(tool), ofSdk: isTool(owner) };
    tools.set(tool.id, [...(tools.get(tool.id) ?? []), loaded]);
  }
  const checks = new Map<string, LoadedCheck>();
  for (const check of pack.checks) {
    if (check.kind !== 'pack') {
      if (check.kind === 'built-in') noOwnCheck(modules, check, problems);
      checks.set(check.id, check.kind === 'built-in' ? loadBuiltIn(check, validatorAt(check.configValidator)) : combinedCheck(check.id, checks));
      continue;
    }
    const evaluate = findCheck(modules, check, problems);
    const validateConfig = check.configValidator === undefined ? undefined : validatorAt(check.configValidator);
    if (evaluate !== undefined) checks.set(check.id, { id: check.id, evaluate, validateConfig });
  }
  return problems.length > 0 ? { kind: 'failed', problems } : { kind: 'loaded', pack: { tools, catalog: catalogOf(pack.catalog), checks } };
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

function requestOf({ id, http }: ToolEntry, problems: string[]): PackFunction | undefined {
  const wrong = httpSpecProblems(http);
  problems.push(...wrong.map((problem) => `Tool "${id}": its spec: ${problem}`));
  return wrong.length > 0 ? undefined : { call: httpHandler(http as HttpSpec), owner: undefined };
}

/** One of packhost's own checks; its config is held to that check's schema, whatever the index says of it. */
function loadBuiltIn({ id, checkId }: BuiltInCheckEntry, validate: Validator): LoadedCheck {
  const check = builtInCheck(checkId);
  const validateConfig: Validator = (config) => {
    const issues = [...(validate(config) ?? []), ...(check.issues?.(config as Readonly<Record<string, unknown>>) ?? [])];
    return issues.length > 0 ? issues : undefined;
  };
  return { id, evaluate: { call: (config, trace) => check.evaluate(config as Readonly<Record<string, unknown>>, trace), owner: undefined }, validateConfig };
}

/** The module of a guardrail that names one of packhost's checks may hold its definition, and no check in that one's place. */
function noOwnCheck(modules: Modules, { guardrailId, checkId, modulePath }: BuiltInCheckEntry, problems: string[]): void {
  const module = modulePath === undefined ? undefined : modules.get(modulePath);
  if (module === undefined || selectCheck(module, guardrailId, checkId) === undefined) return;
  problems.push(`Guardrail "${guardrailId}": ${modulePath} ships its own check as "${checkId}", an id reserved for packhost's; give the check another \`checkId\``);
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
