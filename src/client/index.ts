/**
 * Calls a pack service:
 *
 *     import { PackClient } from 'packhost/client';
 *
 *     const client = new PackClient({ url: 'http://127.0.0.1:8080', token });
 *     const answer = await client.invoke('acme.greet', { name: 'Ada' }, { tenantId: 'acme', runId: 'run-1' });
 *     if (answer.kind === 'result') console.log(answer.output);
 */
export type { ErrorCode } from '../protocol/errors.js';
export type { Cause, CheckVerdict, ErrorMessage, Info, Issue, Pause, ToolResult, WireContext } from '../protocol/messages.js';
export { faultOf } from '../protocol/parse-response.js';
export { type CallOptions, type CheckAnswer, PackClient, type PackClientOptions, PackServiceError, type ToolAnswer, type ToolName } from './pack-client.js';
