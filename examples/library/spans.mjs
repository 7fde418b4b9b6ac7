/**
 * A piece of a text, in UTF-16 code units as JavaScript counts them.
 *
 * @typedef {{ start: number, end: number }} Span
 */

/**
 * The text with each span replaced. Spans are in order and do not overlap.
 *
 * @template {Span} T
 * @param {string} text
 * @param {readonly T[]} spans
 * @param {(span: T) => string} replacement
 */
export function replaceSpans(text, spans, replacement) {
  let result = '';
  let from = 0;
  for (const span of spans) {
    result += text.slice(from, span.start) + replacement(span);
    from = span.end;
  }
  return result + text.slice(from);
}

/**
 * Finds spans of several kinds that never overlap: what an earlier finder took
 * is blanked, at the same length, before a later one looks.
 *
 * @template {Span} T
 * @param {string} text
 * @param {readonly ((text: string) => Iterable<T>)[]} finders The most certain first.
 * @returns {T[]} In the order of the text.
 */
export function findWithoutOverlap(text, finders) {
  /** @type {T[]} */
  let all = [];
  let remaining = text;
  for (const find of finders) {
    const found = [...find(remaining)];
    remaining = replaceSpans(remaining, found, ({ start, end }) => '\0'.repeat(end - start));
    all = all.concat(found);
  }
  return all.sort((one, other) => one.start - other.start);
}
