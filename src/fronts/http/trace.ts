import { randomFillSync } from 'node:crypto';
import type { Trace } from '../../protocol/call-tags.js';

/** https://www.w3.org/TR/trace-context/#traceparent-header: version, trace, parent span, flags; all zeros are invalid. */
const traceParent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

const hexOfRandom = 48;
/** Hexadecimal digits not yet given out: asking for random bytes costs more than all else that a trace does, however few they are. */
let stock = '';
const stockBytes = 4_096 - (4_096 % 24);
const random = Buffer.alloc(stockBytes);

/** Joins the caller's trace with a span of the call's own; starts a trace when the header is absent or invalid. */
export function joinTrace(header: string | undefined): Trace {
  const digits = randomDigits();
  const traceId = header === undefined ? undefined : traceParent.exec(header)?.[1];
  return { traceId: traceId ?? digits.slice(16), spanId: digits.slice(0, 16) };
}

function randomDigits(): string {
  if (stock === '') stock = randomFillSync(random).toString('hex');
  const digits = stock.slice(0, hexOfRandom);
  stock = stock.slice(hexOfRandom);
  return digits;
}
