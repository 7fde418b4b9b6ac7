import { decodeText } from '../library/charset.mjs';
import { openPage, readBody } from '../library/download.mjs';
import { readHtml, readPlainText } from '../library/page-text.mjs';
import { isPublicAddress } from '../library/public-address.mjs';

/** @typedef {{ url: string, maximumBytes: number, maximumRedirects: number, timeoutMs: number }} Input */

const readers = new Map([
  ['text/html', readHtml],
  ['application/xhtml+xml', readHtml],
  ['text/plain', readPlainText],
]);

export default {
  id: 'example.fetch-page',
  description: 'Fetches a public web page and answers its title and readable text. Refuses addresses of this machine and of private networks, whatever name or redirect leads to them.',
  mutating: false,
  resultIsOutsideData: true,
  network: { kind: 'unrestricted' },
  limits: { memMB: 256, cpuMs: 10_000 },
  input: {
    type: 'object',
    required: ['url'],
    additionalProperties: false,
    properties: {
      url: { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://', maxLength: 2048 },
      maximumBytes: { type: 'integer', minimum: 1, maximum: 5_000_000, default: 1_000_000, description: 'The rest of a longer page is left out.' },
      maximumRedirects: { type: 'integer', minimum: 0, maximum: 10, default: 5 },
      timeoutMs: { type: 'integer', minimum: 1, maximum: 60_000, default: 10_000 },
    },
  },
  output: {
    type: 'object',
    required: ['url', 'title', 'text', 'contentType', 'charset', 'bytes', 'truncated', 'redirects'],
    additionalProperties: false,
    properties: {
      url: { type: 'string', description: 'Where the redirects led.' },
      title: { type: 'string', description: 'Empty when the page has none.' },
      text: { type: 'string' },
      contentType: { type: 'string', enum: [...readers.keys()] },
      charset: { type: 'string' },
      bytes: { type: 'integer', minimum: 0, maximum: 5_000_000, description: 'Bytes read, unpacked.' },
      truncated: { type: 'boolean' },
      redirects: { type: 'integer', minimum: 0, maximum: 10 },
    },
  },

  /**
   * @param {Input} input
   * @param {{ abortSignal: AbortSignal }} context
   */
  async handler({ url: address, maximumBytes, maximumRedirects, timeoutMs }, { abortSignal }) {
    const signal = AbortSignal.any([abortSignal, AbortSignal.timeout(timeoutMs)]);
    const mayConnect = process.env.FETCH_PAGE_ALLOW_PRIVATE_ADDRESSES === 'yes' ? () => true : isPublicAddress;
    try {
      const { url, response, redirects } = await openPage(address, { signal, maximumRedirects, mayConnect });
      const declaredType = response.headers['content-type'] ?? '';
      const contentType = declaredType.replace(/;.*/s, '').trim().toLowerCase();
      const read = readers.get(contentType);
      if (!read) {
        response.destroy();
        throw new TypeError(`${url.href} is ${contentType || 'of no declared type'}, not ${[...readers.keys()].join(', ')}`);
      }
      const { bytes, truncated } = await readBody(response, maximumBytes);
      const { text, charset } = decodeText(bytes, declaredType);
      return { url: url.href, ...read(text), contentType, charset, bytes: bytes.length, truncated, redirects };
    } catch (error) {
      // An ended call shows as a broken connection; its signal knows better.
      signal.throwIfAborted();
      throw error;
    }
  },
};
