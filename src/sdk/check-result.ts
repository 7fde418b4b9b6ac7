/** A check's verdict. One that did not pass fires the guardrail's action, and `reason` says why. */
export interface CheckResult {
  readonly passed: boolean;
  readonly reason?: string;
  /** What the judge answered, where a model judged. */
  readonly judgeResponse?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** A verdict in its wire form, for a check that answered true or false. */
export function toCheckResult(verdict: CheckResult | boolean): CheckResult {
  return typeof verdict === 'boolean' ? { passed: verdict } : verdict;
}
