import { createLogger, type Logger } from '../../src/logging/logger.js';
import type { CallTags } from '../../src/protocol/call-tags.js';
import type { SessionTask } from '../../src/threads/link/messages.js';

/** Makes `ctx.log`: a logger whose every line carries the call's ids. */
export type CallLog = (tags: CallTags) => Logger;

/** The logger is built when pack code first logs; most packs never do. */
export function callLog(options: SessionTask['log']): CallLog {
  let tools: Logger | undefined;
  let checks: Logger | undefined;
  return (tags) => {
    const parent =
      tags.checkId === undefined
        ? (tools ??= createLogger({ ...options, subsystem: 'pack.tool' }))
        : (checks ??= createLogger({ ...options, subsystem: 'pack.check' }));
    return parent.child(tags);
  };
}
