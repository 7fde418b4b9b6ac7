import type { Issue } from '../../protocol/messages.js';

/** What keeps a pattern from being one; the issue says whether it is the flags or the pattern. */
export function patternIssues(at: string, pattern: unknown, flags: unknown = ''): readonly Issue[] {
  // Of another type they are the schema's concern.
  if (typeof pattern !== 'string' || typeof flags !== 'string') return [];
  const wrongFlags = problemOf('', flags);
  if (wrongFlags !== undefined) return [{ instancePath: '/flags', message: `must be flags of a regular expression: ${wrongFlags}` }];
  const wrongPattern = problemOf(pattern, flags);
  return wrongPattern === undefined ? [] : [{ instancePath: at, message: `must be a regular expression: ${wrongPattern}` }];
}

function problemOf(pattern: string, flags: string): string | undefined {
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
