/** @typedef {{ text: string, opening: string }} Paragraph The opening is its first few words, to name it by. */

const codeFence = /^ {0,3}(?:```|~~~)/;
const heading = /^ {0,3}#{1,6} /;
const sourceEntry = /^\s*(?:[-*] )?(?:\[\^?\d{1,4}\]:?|\d{1,4}\.) .*(?:https?:|10\.\d{4,9}\/)/;

/**
 * The paragraphs of a Markdown text that claim something: no headings, code,
 * questions or lists of sources, and none shorter than `minimumWords`.
 *
 * @param {string} text
 * @param {number} minimumWords
 * @returns {Paragraph[]}
 */
export function claimParagraphs(text, minimumWords) {
  return paragraphs(text)
    .filter((paragraph) => !paragraph.endsWith('?'))
    .map((paragraph) => ({ text: paragraph, words: paragraph.split(/\s+/) }))
    .filter(({ words }) => words.length >= minimumWords)
    .map(({ text: paragraph, words }) => ({ text: paragraph, opening: `${words.slice(0, 6).join(' ').slice(0, 80)}…` }));
}

/**
 * @param {string} text
 * @returns {string[]} The lines between blank ones, joined, without headings, code and lists of sources.
 */
function paragraphs(text) {
  /** @type {string[][]} */
  const groups = [[]];
  let inCode = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const isFence = codeFence.test(line);
    if (isFence) inCode = !inCode;
    const isBoundary = isFence || inCode || line.trim() === '' || heading.test(line) || sourceEntry.test(line);
    if (isBoundary) groups.push([]);
    else groups.at(-1)?.push(line);
  }
  return groups.map((lines) => lines.join('\n').trim()).filter((paragraph) => paragraph !== '');
}
