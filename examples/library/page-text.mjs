/** @typedef {{ title: string, text: string }} PageText */

const leftOut = new Set(['nav', 'footer', 'aside', 'button', 'select', 'svg', 'dialog', 'noscript', 'template']);
const unparsed = new Set(['script', 'style', 'textarea', 'title', 'iframe', 'xmp', 'noembed', 'noframes']);
const block = new Set([
  'address', 'article', 'aside', 'blockquote', 'body', 'br', 'caption', 'dd', 'details', 'dialog', 'div', 'dl', 'dt',
  'fieldset', 'figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'legend',
  'li', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'summary', 'table', 'tbody', 'tfoot', 'thead', 'tr', 'ul',
]);

/**
 * The title of an HTML page and the text a person would read: that of `main` or
 * `article` where the page has one, without navigation and scripts. One pass,
 * and no more of HTML than that takes.
 *
 * @param {string} html
 * @returns {PageText}
 */
export function readHtml(html) {
  let title = '';
  let everything = '';
  let mainPart = '';
  let depthOfMain = 0;
  for (const token of withoutLeftOut(tokens(html))) {
    if (token.kind === 'title') {
      title ||= collapse(decodeEntities(token.text));
      continue;
    }
    if (token.kind === 'tag' && (token.name === 'main' || token.name === 'article')) {
      depthOfMain = Math.max(0, depthOfMain + (token.isClosing ? -1 : 1));
    }
    const piece = token.kind === 'tag' ? boundary(token.name) : decodeEntities(token.text).replace(/\s+/g, ' ');
    everything += piece;
    if (depthOfMain > 0) mainPart += piece;
  }
  return { title, text: tidy(mainPart) || tidy(everything) };
}

/** @param {string} text A page that is no HTML. */
export function readPlainText(text) {
  return { title: '', text: tidy(text) };
}

/**
 * @typedef {{ kind: 'text' | 'title', text: string }} TextToken
 * @typedef {{ kind: 'tag', name: string, isClosing: boolean }} TagToken
 */

/**
 * @param {Iterable<TextToken | TagToken>} all
 * @returns {Generator<TextToken | TagToken>}
 */
function* withoutLeftOut(all) {
  /** @type {string | undefined} */
  let skipping;
  let depth = 0;
  for (const token of all) {
    if (token.kind === 'tag' && (skipping ? token.name === skipping : leftOut.has(token.name) && !token.isClosing)) {
      skipping = token.name;
      depth += token.isClosing ? -1 : 1;
      if (depth === 0) skipping = undefined;
    } else if (!skipping || token.kind === 'title') {
      yield token;
    }
  }
}

/**
 * @param {string} html
 * @returns {Generator<TextToken | TagToken>}
 */
function* tokens(html) {
  const tagName = /\/?([a-z][^\s/>]*)/iy;
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf('<', position);
    if (open !== position) yield { kind: 'text', text: html.slice(position, open === -1 ? undefined : open) };
    if (open === -1) return;

    tagName.lastIndex = open + 1;
    const name = tagName.exec(html)?.[1]?.toLowerCase();
    if (name !== undefined) {
      position = endOfTag(html, tagName.lastIndex);
      const isClosing = html.charAt(open + 1) === '/';
      const isWhole = html.startsWith('/>', position - 2);
      if (!unparsed.has(name)) {
        yield { kind: 'tag', name, isClosing };
        if (isWhole && !isClosing) yield { kind: 'tag', name, isClosing: true };
      } else if (!isClosing) {
        const end = startOfClosingTag(html, name, position);
        if (name === 'title') yield { kind: 'title', text: html.slice(position, end) };
        position = endOfTag(html, end);
      }
    } else if (/[!?/]/.test(html.charAt(open + 1))) {
      position = endOfMarkup(html, open);
    } else {
      yield { kind: 'text', text: '<' };
      position = open + 1;
    }
  }
}

/**
 * @param {string} html
 * @param {string} name
 * @param {number} from
 */
function startOfClosingTag(html, name, from) {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/**
 * The end of a comment, a doctype or a processing instruction.
 *
 * @param {string} html
 * @param {number} open
 */
function endOfMarkup(html, open) {
  const close = html.startsWith('<!--', open) ? '-->' : '>';
  // `<!-->` is a whole comment.
  const end = html.indexOf(close, open + 2);
  return end === -1 ? html.length : end + close.length;
}

/**
 * A quoted attribute may hold a `>`. A tag that never ends takes the rest of
 * the page with it, as in a browser.
 *
 * @param {string} html
 * @param {number} from
 */
function endOfTag(html, from) {
  const stop = /[>"']/g;
  stop.lastIndex = from;
  for (;;) {
    const found = stop.exec(html);
    if (!found) return html.length;
    if (found[0] === '>') return stop.lastIndex;
    const closingQuote = html.indexOf(found[0], stop.lastIndex);
    if (closingQuote === -1) return html.length;
    stop.lastIndex = closingQuote + 1;
  }
}

/** @param {string} name */
function boundary(name) {
  if (name === 'td' || name === 'th') return ' ';
  return block.has(name) ? '\n' : '';
}

const namedEntities = new Map(
  Object.entries({
    amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '', copy: '©', reg: '®', trade: '™', deg: '°',
    middot: '·', bull: '•', hellip: '…', ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”',
    laquo: '«', raquo: '»', times: '×', euro: '€', pound: '£', sect: '§', para: '¶', szlig: 'ß', auml: 'ä', ouml: 'ö',
    uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', eacute: 'é', egrave: 'è', agrave: 'à', ccedil: 'ç', ntilde: 'ñ',
  }),
);

/** @param {string} text */
function decodeEntities(text) {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi, (whole, hexadecimal, decimal, name) => {
    if (name !== undefined) return namedEntities.get(name) ?? whole;
    const codePoint = hexadecimal !== undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    const isCharacter = codePoint > 0 && codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff);
    return isCharacter ? String.fromCodePoint(codePoint) : '\uFFFD';
  });
}

/** @param {string} text */
function collapse(text) {
  return text.replace(/\s+/g, ' ').trim();
}

/** @param {string} text */
function tidy(text) {
  return text.split(/[\r\n]/).map(collapse).filter((line) => line !== '').join('\n');
}
