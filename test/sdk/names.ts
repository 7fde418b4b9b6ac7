/** What one name of the Python SDK is here. */
export interface Counterpart {
  readonly python: string;
  /** An export of `packhost/sdk`, or `Export.member`; `()` where it is called. */
  readonly typescript: string;
  readonly difference?: string;
}

/** Every name that the Python SDK documents, in its order; docs/sdk.md shows them, and the test beside this file checks both. */
export const names: readonly Counterpart[] = [
  { python: 'MAX_STORED_FILES_PER_CALL', typescript: 'MAX_STORED_FILES_PER_CALL' },
  { python: 'MAX_STORED_FILE_BYTES', typescript: 'MAX_STORED_FILE_BYTES' },
  { python: 'Agent()', typescript: 'agent()', difference: 'answers an `Agent`, frozen data' },
  { python: 'CallCancelled', typescript: 'CallCancelled' },
  { python: 'Cancellation', typescript: 'Cancellation', difference: 'also `signal`, an AbortSignal' },
  { python: 'Cancellation.cancelled', typescript: 'Cancellation.cancelled' },
  { python: 'Cancellation.reason', typescript: 'Cancellation.reason' },
  { python: 'Cancellation.raise_if_cancelled()', typescript: 'Cancellation.throwIfCancelled()' },
  { python: 'Cancellation.wait()', typescript: 'Cancellation.wait()', difference: 'a promise of the reason; milliseconds' },
  { python: 'Cancellation.wait_async()', typescript: 'Cancellation.wait()' },
  { python: 'Cancellation.cancel()', typescript: 'Cancellation.cancel()' },
  { python: 'CheckResult', typescript: 'CheckResult', difference: 'plain data' },
  { python: 'CheckResult.to_wire()', typescript: 'toCheckResult()', difference: 'of a verdict or a boolean' },
  { python: 'ConnectionAccount', typescript: 'ConnectionAccount' },
  { python: 'ConnectionRejected', typescript: 'ConnectionRejected', difference: '`{ cause }` instead of `from`' },
  { python: 'DefinitionError', typescript: 'DefinitionError', difference: 'has every problem' },
  { python: 'FileReadAnswer', typescript: 'FileReadAnswer' },
  { python: 'FileStore', typescript: 'FileStore' },
  { python: 'FileStore.store()', typescript: 'FileStore.store()', difference: 'async' },
  { python: 'FileStore.store_async()', typescript: 'FileStore.store()' },
  { python: 'FileStore.read()', typescript: 'FileStore.read()', difference: 'async' },
  { python: 'FileStore.read_async()', typescript: 'FileStore.read()' },
  { python: 'FileStoreAnswer', typescript: 'FileStoreAnswer' },
  { python: 'FileStoreError', typescript: 'FileStoreError' },
  { python: 'Flow()', typescript: 'flow()', difference: 'answers a `Flow`, frozen data' },
  { python: 'Guardrail', typescript: 'Guardrail', difference: 'called as `check.evaluate(config, trace)`' },
  { python: 'Guardrail.parse_config()', typescript: 'parseConfig()' },
  { python: 'Guardrail.parse_trace()', typescript: 'parseTrace()' },
  { python: 'ModelCallRecord', typescript: 'ModelCallRecord' },
  { python: 'PauseAnswer', typescript: 'PauseAnswer', difference: '`pause()` makes one for a test to compare with' },
  { python: 'PauseNotAvailable', typescript: 'PauseNotAvailable' },
  { python: 'RunTrace', typescript: 'RunTrace' },
  { python: 'Tool', typescript: 'Tool', difference: 'called as `handler(input, ctx)`' },
  { python: 'Tool.parse_input()', typescript: 'parseInput()' },
  { python: 'Tool.dump_output()', typescript: 'dumpOutput()' },
  { python: 'Tool.invoke_args()', typescript: 'Tool.handler()', difference: 'always `(input, ctx)`' },
  { python: 'ToolCallRecord', typescript: 'ToolCallRecord' },
  { python: 'ToolConnection', typescript: 'ToolConnection' },
  { python: 'ToolConnection.from_wire()', typescript: 'ToolConnection.fromWire()' },
  { python: 'ToolContext', typescript: 'ToolContext', difference: 'also `abortSignal`; typed by what the tool declares' },
  { python: 'ToolContext.wait_token', typescript: 'PausingContext.waitToken', difference: 'there with `pauses: true`' },
  { python: 'ToolContext.pause()', typescript: 'PausingContext.pause()', difference: 'there with `pauses: true`' },
  { python: 'ToolContext.for_test()', typescript: 'contextForTest()' },
  { python: 'ToolContext.from_wire()', typescript: 'contextFromWire()', difference: 'what is declared comes with `tool`' },
  { python: 'ToolResultRecord', typescript: 'ToolResultRecord' },
  { python: 'WaitToken', typescript: 'WaitToken' },
  { python: 'guardrail()', typescript: 'guardrail()', difference: 'the function is `check`; the type of its config is `configSchema`' },
  { python: 'http_tool()', typescript: 'httpTool()' },
  { python: 'tool()', typescript: 'tool()', difference: 'the function is `handler`' },
];

/** Parameters and fields in Python, by the type that has them here in camel case. Left out is what Python needs for itself: types, adapters, `is_async`. */
export const fields: Readonly<Record<string, string>> = {
  AgentDeclaration:
    'id version name instructions capabilities tools retrieval guardrails parameters budget preferred_provider preferred_model description tags conversation_policy output tool_errors parallel_tool_calls settings model_settings memory',
  CallCancelled: 'reason',
  CheckResult: 'passed reason judge_response attributes',
  ConnectionAccount: 'id label',
  ConnectionRejected: 'connection message',
  FileReadAnswer: 'data not_read',
  FileStoreAnswer: 'file not_stored',
  FileToStore: 'name content_type data',
  FlowDeclaration: 'id version nodes edges name description max_parallelism metadata output',
  GuardrailDeclaration: 'id kind on_violation action name severity scope check_id config sandbox limits network judge_capabilities',
  HttpToolDeclaration:
    'id description input output method url_template headers authorization request_body timeout_ms parse_json success_status version effects mutating needs_approval_when_unattended result_is_outside_data',
  ModelCallRecord: 'provider_id model prompt_tokens completion_tokens at',
  PauseOptions: 'timeout_ms name',
  RunTrace:
    'run_id tenant_id project_id org_id agent_id flow_id output tool_calls tool_results model_calls user_input retrieved_fact_ids conversation_id turn_number total_cost_usd duration_ms mode attributes',
  ToolCallRecord: 'tool_id tool_name arguments at',
  ToolConnection: 'connection_id app app_name access_token account expires_at name',
  ToolContext: 'tenant_id run_id request_id project_id org_id env secrets config settings cancellation log idempotency_key',
  ToolDeclaration:
    'id version description input output effects mutating needs_approval_when_unattended result_is_outside_data needs needs_spec sandbox limits network pauses stores_files reads_files',
  ToolResultRecord: 'tool_call_id output at',
  WaitToken: 'id url',
};
