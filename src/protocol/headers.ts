/**
 * The transport's header names. `Authorization` is not among them: platforms such as Cloud Run
 * put an identity token of their own there.
 */
export const headers = {
  token: 'kindgi-pack-token',
  timeoutMs: 'kindgi-timeout-ms',
  durationMs: 'kindgi-duration-ms',
  artifactVersion: 'kindgi-artifact-version',
  traceParent: 'traceparent',
} as const;
