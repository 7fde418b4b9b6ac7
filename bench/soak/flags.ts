/** Small, so that a body that exceeds it costs the callers little. */
export const maxBodyBytes = 1024 * 1024;

/** Short, so that threads are lost and replaced many times in a short run. */
export const graceMs = 300;

/** The arguments after `packhost serve`, beside index, module root and address. */
export function serviceFlags(maxConcurrency: number): string[] {
  const flags = {
    'max-concurrency': maxConcurrency,
    'max-threads': maxConcurrency,
    grace: graceMs,
    'max-body': maxBodyBytes,
    'log-level': 'info',
    'log-format': 'json',
  };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

/**
 * Whether the service holds a tool to its `limits`. Where it does not, the deadline is what ends a
 * tool that passes them, and that answer is taken for right.
 */
export const limitsAreEnforced: boolean = true;

/** Whether a `sandbox: 'strict'` tool gets a thread that has run nothing before. */
export const strictIsEnforced: boolean = true;
