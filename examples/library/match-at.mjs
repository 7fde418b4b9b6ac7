/**
 * What a sticky pattern matches at a position; empty when nothing does.
 *
 * @param {RegExp} sticky
 * @param {string} text
 * @param {number} position
 */
export function matchAt(sticky, text, position) {
  sticky.lastIndex = position;
  return sticky.exec(text)?.[0] ?? '';
}
