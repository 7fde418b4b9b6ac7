import { createLogger, type Logger } from '../../src/logging/logger.js';
import type { CallTags } from '../../src/protocol/call-tags.js';
import type { ThreadLog } from '../../src/threads/link/messages.js';
import { threadOutput } from './thread-output.js';

/** Makes `ctx.log`: a logger whose every line carries the call's ids. */
export type CallLog = (tags: CallTags) => Logger;

/** The logger is built when pack code first logs; most packs never do. */
export function callLog(options: ThreadLog): CallLog {
  let tools: Logger | undefined;
  let checks: Logger | undefined;
  const open = (subsystem: string): Logger => createLogger({ ...options, subsystem }, threadOutput(2, options));
  return (tags) => {
    const parent = tags.checkId === undefined ? (tools ??= open('pack.tool')) : (checks ??= open('pack.check'));
    return parent.child(tags);
  };
}
