import type { ErrorCode } from '../../src/protocol/errors.js';
import { type Cause, type ErrorMessage, errorMessage } from '../../src/protocol/messages.js';
import type { LoadedTool } from '../load/loaded-pack.js';
import { causeOf, messageOf } from '../../src/protocol/thrown.js';

/** The error to answer a call with whose handler threw. */
export function failureOf(tool: LoadedTool, thrown: unknown): ErrorMessage {
  const cause = causeOf(thrown);
  const code = codeOf(tool, cause);
  const message = code === 'handler-throw' ? `Tool "${tool.id}" threw: ${messageOf(cause)}` : `Tool "${tool.id}": ${messageOf(cause)}`;
  return errorMessage(code, message, { toolId: tool.id, cause });
}

/**
 * Told by their names, since pack code may have a copy of the SDK of its own; and only for tools that
 * declare the like, since a library may have an error of such a name too.
 */
function codeOf({ declared }: LoadedTool, cause: Cause): ErrorCode {
  if (declared?.pauses && cause.name === 'PauseNotAvailable') return 'pause-not-available';
  return declared && declared.connections.length > 0 && comesFrom(cause, 'ConnectionRejected') ? 'connection-rejected' : 'handler-throw';
}

function comesFrom({ name, cause }: Cause, wanted: string): boolean {
  return name === wanted || (cause !== undefined && comesFrom(cause, wanted));
}
