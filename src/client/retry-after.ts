/** How long a Retry-After header asks to wait, in milliseconds: it has seconds, or a date. undefined when there is none, and nobody has said that the call did not run. */
export function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
