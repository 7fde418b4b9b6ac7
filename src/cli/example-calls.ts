import { tokenName } from '../packs/environment.js';
import { checkIdOf, type IndexFile } from '../packs/index-file.js';
import { headers } from '../protocol/headers.js';
import { sampleInput } from './sample-input.js';

/** Two lines for a shell that call the pack's first tool, or its first check; none for a pack that has neither. */
export function exampleCalls(index: IndexFile, url: string, token: string): string[] {
  const [tool] = index.tools;
  const [guardrail] = index.guardrails;
  if (tool !== undefined) {
    const input = sampleInput(tool.input);
    const isOneOfSeveral = index.tools.some((other) => other !== tool && other.id === tool.id);
    const version = isOneOfSeveral ? { version: tool.version } : {};
    const flags = isOneOfSeveral ? ` --tool-version ${quoted(tool.version ?? '')}` : '';
    const message = { v: 2, kind: 'invoke', tool: { id: tool.id, ...version }, input, ctx: { tenantId: 'local', runId: 'run-1' } };
    return [curl(url, token, message), call(url, token, `${quoted(tool.id)}${flags} --input ${quoted(JSON.stringify(input))}`)];
  }
  if (guardrail === undefined) return [];
  const id = checkIdOf(guardrail);
  const config = guardrail.config ?? sampleInput(guardrail.configSchema);
  const trace = { tenantId: 'local', runId: 'run-1', output: 'text', toolCalls: [], toolResults: [], modelCalls: [], mode: 'runtime' };
  return [curl(url, token, { v: 2, kind: 'check-invoke', check: { id }, config, trace }), call(url, token, `--check ${quoted(id)} --config ${quoted(JSON.stringify(config))}`)];
}

function curl(url: string, token: string, message: unknown): string {
  return `curl -s ${url}/v1/invoke -H '${headers.token}: ${token}' -H 'content-type: application/json' -d ${quoted(JSON.stringify(message))}`;
}

function call(url: string, token: string, what: string): string {
  return `${tokenName}=${token} npx packhost call ${what} --url ${url}`;
}

/** A word of a shell's. */
function quoted(text: string): string {
  return /^[\w.@/:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
