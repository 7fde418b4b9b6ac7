import { type CheckInvoke, errorMessage } from '../src/protocol/messages.js';
import type { Call } from './call.js';
import { toJson } from './json.js';
import type { LoadedPack } from './preload.js';
import { causeOf, messageOf } from '../src/protocol/thrown.js';

/** Runs a guardrail check: validate its config as sent, evaluate, and answer its verdict. */
export async function runCheck(pack: LoadedPack, { check: wanted, config, trace }: CheckInvoke, call: Call): Promise<void> {
  const checkId = wanted.id;
  const check = pack.checks.get(checkId);
  if (check === undefined) return call.fail(errorMessage('check-not-in-pack', `The pack has no check "${checkId}".`, { checkId }));

  const issues = check.validateConfig?.(config);
  const [first] = issues ?? [];
  if (issues && first) {
    return call.fail(errorMessage('input-validation-failed', `Check "${checkId}" config failed validation at ${first.instancePath || '/'}: ${first.message}`, { checkId, issues }));
  }
  let form: ReturnType<typeof toJson>;
  try {
    form = toJson(await check.evaluate.call(config, trace, bindingsOf(call)));
  } catch (error) {
    const cause = causeOf(error);
    return call.fail(errorMessage('handler-throw', `Check "${checkId}" threw: ${messageOf(cause)}`, { checkId, cause }));
  }
  if (form.kind === 'not-json') return call.fail(errorMessage('output-validation-failed', `The result of check "${checkId}" is not JSON.`, { checkId, issues: [form.issue] }));
  if (!isVerdict(form.value)) return call.fail(errorMessage('check-shape-invalid', `Check "${checkId}" must answer an object with a boolean \`passed\`.`, { checkId }));
  call.succeed(`{"v":2,"kind":"check-result","result":${form.text}}`);
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
