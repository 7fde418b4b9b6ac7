/** The ids a call's records carry; a check's come from its trace. */
export interface CallIds {
  readonly tenantId?: string | undefined;
  readonly runId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly orgId?: string | undefined;
}

/** Where a call stands in its caller's trace. */
export interface Trace {
  /** 32 hexadecimal digits: the caller's trace, or one of the call's own. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the call's own span. */
  readonly spanId: string;
}

/** What ties a line of log or a late fault to its call. */
export interface CallTags extends CallIds, Trace {
  readonly toolId?: string | undefined;
  readonly checkId?: string | undefined;
}
