/** Node's timers take no more; longer deadlines are as good as this one, which is 24 days. */
const longestMs = 2 ** 31 - 1;

/** The time a call has, in milliseconds: the header's when that is a positive whole number, else the default. */
export function timeoutOf(header: string | string[] | undefined, defaultMs: number): number {
  if (typeof header !== 'string' || !/^[0-9]+$/.test(header)) return defaultMs;
  const ms = Number(header);
  return ms > 0 ? Math.min(ms, longestMs) : defaultMs;
}
