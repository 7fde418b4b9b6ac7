/** Whether a pattern is a regular expression with these flags. */
export function isRegExp(pattern: string, flags = ''): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}
