import { errorMessage, type ToolInvoke } from '../src/protocol/messages.js';
import type { Call } from './call.js';
import type { CallLog } from './call-log.js';
import { toJson } from './json.js';
import type { LoadedPack, LoadedTool } from './preload.js';
import { causeOf, messageOf } from '../src/protocol/thrown.js';

/** Runs a tool: validate, parse, call, validate, and answer with what was validated. */
export async function runTool(pack: LoadedPack, { tool: wanted, input, ctx }: ToolInvoke, call: Call, log: CallLog): Promise<void> {
  const tool = lookUp(pack, wanted, call);
  if (tool === undefined) return;
  const toolId = tool.id;

  const inputIssues = tool.validateInput(input);
  if (inputIssues) return call.fail(errorMessage('input-validation-failed', `The input of tool "${toolId}" breaks its schema.`, { toolId, issues: inputIssues }));
  let output: unknown;
  let form: ReturnType<typeof toJson>;
  try {
    let parsed = input;
    if (tool.parseInput) {
      const result = await tool.parseInput(input);
      if (result.kind === 'issues') return call.fail(errorMessage('input-validation-failed', `The input of tool "${toolId}" breaks its schema.`, { toolId, issues: result.issues }));
      parsed = result.value;
    }
    output = await tool.handler.call(parsed, contextOf(ctx, call, log));
    form = toJson(output);
  } catch (error) {
    const cause = causeOf(error);
    return call.fail(errorMessage('handler-throw', `Tool "${toolId}" threw: ${messageOf(cause)}`, { toolId, cause }));
  }
  const issues = form.kind === 'not-json' ? [form.issue] : tool.validateOutput(form.value);
  if (issues) return call.fail(errorMessage('output-validation-failed', `The output of tool "${toolId}" breaks its schema.`, { toolId, issues }));
  if (form.kind === 'json') call.succeed(`{"v":2,"kind":"result","output":${form.text}}`);
}

function lookUp(pack: LoadedPack, wanted: ToolInvoke['tool'], call: Call): LoadedTool | undefined {
  const toolId = wanted.id;
  const versions = pack.catalog.get(toolId);
  if (versions === undefined) {
    call.fail(errorMessage('tool-not-in-pack', `The pack has no tool "${toolId}".`, { toolId }));
    return undefined;
  }
  const [first, ...others] = versions;
  const found = wanted.version === undefined ? (others.length === 0 ? first : undefined) : versions.find(({ version }) => version === wanted.version);
  if (found === undefined) {
    const has = versions.map(({ version }) => version ?? 'none').join(', ');
    const asked = wanted.version === undefined ? 'the message names none' : `the message asks for ${wanted.version}`;
    call.fail(errorMessage('tool-version-mismatch', `The pack has tool "${toolId}" in version ${has}; ${asked}.`, { toolId }));
  }
  return found && pack.tools.get(toolId)?.find((tool) => tool.version === found.version);
}

/**
 * The context as the caller sent it, and what the host adds. `secrets` and `log` cannot be
 * enumerated, so that printing or spreading a context shows no secret.
 */
function contextOf(ctx: ToolInvoke['ctx'], call: Call, log: CallLog): object {
  return Object.defineProperties(ctx, {
    abortSignal: { get: () => call.abortSignal, enumerable: true, configurable: true },
    secrets: { value: ctx['secrets'] ?? {}, enumerable: false, configurable: true },
    log: { get: lazily(() => log(call.tags)), enumerable: false, configurable: true },
  });
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
