/**
 * What a pack is written with:
 *
 *     import { tool } from 'packhost/sdk';
 *
 *     export default tool({
 *       id: 'acme.greet',
 *       description: 'Greets someone by name.',
 *       input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
 *       output: { type: 'object', required: ['greeting'], properties: { greeting: { type: 'string' } } },
 *       handler: ({ name }) => ({ greeting: `Hello, ${name}!` }),
 *     });
 *
 * It has no dependencies and starts nothing: definitions are data, with the functions they hold.
 */
export type { DeclaredIsolation } from '../protocol/isolation.js';
export { agent } from './agent.js';
export type { Agent, AgentDeclaration } from './agent.js';
export type { Declaring } from './call-context.js';
export { CallCancelled, Cancellation } from './cancellation.js';
export { ConnectionRejected, ToolConnection } from './connection.js';
export type { ConnectionAccount, ConnectionFacts } from './connection.js';
export type { CallContext, ContextShape, LogMethod, PausingContext, ToolContext, ToolLog } from './context.js';
export { DefinitionError } from './definition-error.js';
export { FileStore, FileStoreError, MAX_STORED_FILE_BYTES, MAX_STORED_FILES_PER_CALL } from './files.js';
export type { FileReadAnswer, FileReading, FileStoreAnswer, FileStoring, FileToStore, NotReadReason, NotStoredReason, StoredFile } from './files.js';
export { flow } from './flow.js';
export type { Flow, FlowDeclaration, FlowEdge, FlowNode } from './flow.js';
export { guardrail, parseConfig, toCheckResult } from './guardrail.js';
export type { ActionName, Check, CheckBindings, CheckFunction, CheckResult, Guardrail, GuardrailAction, GuardrailDeclaration, GuardrailScope } from './guardrail.js';
export type { HttpAuthorization, HttpMethod, HttpRequestBody, HttpSpec } from './http-spec.js';
export { httpTool } from './http-tool.js';
export type { HttpTool, HttpToolDeclaration } from './http-tool.js';
export type { NeededValues, NeedsSpec } from './needs.js';
export { MAX_PAUSE_TIMEOUT_MS, pause, PauseNotAvailable } from './pause.js';
export type { PauseAnswer, PauseOptions, WaitToken } from './pause.js';
export type { Reference } from './reference.js';
export { SchemaMismatch } from './schema-source.js';
export type { InputOf, OutputOf, SchemaSource, StandardResult, StandardSchema } from './schema-source.js';
export type { FromSchema, JsonSchema, SchemaUse } from './schema-type.js';
export { contextForTest, contextFromWire } from './standalone-context.js';
export type { ContextParts, EveryPart, TestContext } from './standalone-context.js';
export { dumpOutput, isTool, parseInput, tool } from './tool.js';
export type { Handler, Tool, ToolDeclaration, ToolFacts } from './tool.js';
export { parseTrace } from './trace.js';
export type { ModelCallRecord, RunTrace, ToolCallRecord, ToolResultRecord } from './trace.js';
