import { randomBytes } from 'node:crypto';

/** Where a call stands in its caller's trace. */
export interface Trace {
  /** 32 hexadecimal digits: the caller's trace, or one of the call's own. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the call's own span. */
  readonly spanId: string;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace, parent span, flags; all zeros are invalid. */
const traceParent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Joins the caller's trace with a span of the call's own; starts a trace when the header is absent or invalid. */
export function joinTrace(header: string | undefined): Trace {
  const random = randomBytes(24).toString('hex');
  const traceId = header === undefined ? undefined : traceParent.exec(header)?.[1];
  return { traceId: traceId ?? random.slice(16), spanId: random.slice(0, 16) };
}
