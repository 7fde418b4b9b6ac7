import { type CheckInvoke, type ErrorMessage, errorMessage } from '../../src/protocol/messages.js';
import type { Call } from './call.js';
import { type JsonForm, toJson } from './json.js';
import type { LoadedCheck, LoadedPack } from '../load/loaded-pack.js';
import { causeOf, messageOf } from '../../src/protocol/thrown.js';

/** What running one check came to: its verdict in JSON form, or the error to answer. */
export type Judged = Extract<JsonForm, { kind: 'json' }> | ErrorMessage;

/** Runs the check that a message asks for, and answers its verdict. */
export async function runCheck(pack: LoadedPack, { check: wanted, config, trace }: CheckInvoke, call: Call): Promise<void> {
  const checkId = wanted.id;
  const check = pack.checks.get(checkId);
  if (check === undefined) return call.fail(errorMessage('check-not-in-pack', `The pack has no check "${checkId}".`, { checkId }));
  const judged = await judge(check, config, trace, bindingsOf(call));
  if (judged.kind === 'error') return call.fail(judged);
  call.succeed(`{"v":2,"kind":"check-result","result":${judged.text}}`);
}

/** Runs a guardrail check: validate its config as sent, evaluate, and look at what comes back. */
export async function judge({ id: checkId, evaluate, validateConfig }: LoadedCheck, config: CheckInvoke['config'], trace: unknown, bindings: unknown): Promise<Judged> {
  const issues = validateConfig?.(config);
  const [first] = issues ?? [];
  if (issues && first) {
    return errorMessage('input-validation-failed', `Check "${checkId}" config failed validation at ${first.instancePath || '/'}: ${first.message}`, { checkId, issues });
  }
  let form: JsonForm;
  try {
    form = toJson(await evaluate.call(config, trace, bindings));
  } catch (error) {
    const cause = causeOf(error);
    return errorMessage('handler-throw', `Check "${checkId}" threw: ${messageOf(cause)}`, { checkId, cause });
  }
  if (form.kind === 'not-json') return errorMessage('output-validation-failed', `The result of check "${checkId}" is not JSON.`, { checkId, issues: [form.issue] });
  if (!isVerdict(form.value)) return errorMessage('check-shape-invalid', `Check "${checkId}" must answer an object with a boolean \`passed\`.`, { checkId });
  return form;
}

function bindingsOf(call: Call): { readonly abortSignal: AbortSignal } {
  return {
    get abortSignal() {
      return call.abortSignal;
    },
  };
}

function isVerdict(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { passed?: unknown }).passed === 'boolean';
}
