/**
 * The text of a page's bytes and the charset they were read in: that of their
 * byte order mark, else the one the server declared, else the page's own
 * `<meta>`, else UTF-8.
 *
 * @param {Buffer} bytes
 * @param {string} contentType
 */
export function decodeText(bytes, contentType) {
  const declared =
    charsetOfByteOrderMark(bytes) ??
    /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ??
    /<meta[^>]{1,200}?charset\s*=\s*["']?([^\s"'>/;]+)/i.exec(bytes.subarray(0, 1024).toString('latin1'))?.[1];
  const decoder = decoderFor(declared ?? 'utf-8') ?? new TextDecoder('utf-8');
  return { text: decoder.decode(bytes), charset: decoder.encoding };
}

/** @param {Buffer} bytes */
function charsetOfByteOrderMark(bytes) {
  const start = bytes.subarray(0, 3).toString('hex');
  if (start === 'efbbbf') return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : undefined;
}

/** @param {string} label */
function decoderFor(label) {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
