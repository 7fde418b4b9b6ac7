/**
 * Whether the service holds a tool to its `limits`. Where it does not, the deadline is what ends a
 * tool that passes them, and that answer is taken for right.
 */
export const limitsAreEnforced: boolean = true;

/** Whether a `sandbox: 'strict'` tool gets a thread that has run nothing before. */
export const strictIsEnforced: boolean = true;
