import { errorMessage, type Pause, protocolVersion, type ToolInvoke } from '../../src/protocol/messages.js';
import { isPause } from '../../src/sdk/pause.js';
import type { Call } from './call.js';
import type { CallLog } from './call-log.js';
import { failureOf } from './failure.js';
import { stringifyMessage, toJson } from './json.js';
import type { LoadedPack, LoadedTool } from '../load/loaded-pack.js';
import { contextOf } from './tool-context.js';

/** Runs a tool: validate, parse, call, validate, and answer with what was validated. */
export async function runTool(pack: LoadedPack, { tool: wanted, input, ctx }: ToolInvoke, call: Call, log: CallLog): Promise<void> {
  const tool = lookUp(pack, wanted, call);
  if (tool === undefined) return;
  const toolId = tool.id;

  const inputIssues = tool.validateInput(input);
  if (inputIssues) return call.fail(errorMessage('input-validation-failed', `The input of tool "${toolId}" breaks its schema.`, { toolId, issues: inputIssues }));
  let form: ReturnType<typeof toJson>;
  try {
    let parsed = input;
    if (tool.parseInput) {
      const result = await tool.parseInput(input);
      if (result.kind === 'issues') return call.fail(errorMessage('input-validation-failed', `The input of tool "${toolId}" breaks its schema.`, { toolId, issues: result.issues }));
      parsed = result.value;
    }
    const context = contextOf(ctx, tool, call, log);
    const output = await tool.handler.call(parsed, context);
    if (tool.declared?.pauses && isPause(output)) {
      // Throws where the handler could not have paused by its context.
      void context['waitToken'];
      return call.succeed(stringifyMessage({ v: protocolVersion, kind: 'pause', ...output } satisfies Pause));
    }
    form = toJson(output);
  } catch (error) {
    return call.fail(failureOf(tool, error));
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
