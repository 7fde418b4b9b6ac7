import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AddressRefused, guardedLookup } from './public-address.mjs';

/** @typedef {import('node:http').IncomingMessage} Response */

/** A page that was not fetched; `code` says why. */
export class DownloadError extends Error {
  name = 'DownloadError';

  /**
   * @param {'ADDRESS_INVALID' | 'TOO_MANY_REDIRECTS' | 'STATUS_REFUSED' | 'ENCODING_UNKNOWN'} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * Opens a page, following redirects; each one is held to the same rules as the
 * first address. The caller reads the body or destroys the response.
 *
 * @param {string} address
 * @param {object} options
 * @param {AbortSignal} options.signal
 * @param {number} options.maximumRedirects
 * @param {(address: string) => boolean} options.mayConnect
 */
export async function openPage(address, { signal, maximumRedirects, mayConnect }) {
  let url = webAddress(address);
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(url, signal, mayConnect);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status >= 200 && status < 300) return { url, response, redirects };

    response.destroy();
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
      throw new DownloadError('STATUS_REFUSED', `${url.href} answered ${status}`);
    }
    if (redirects === maximumRedirects) {
      throw new DownloadError('TOO_MANY_REDIRECTS', `more than ${maximumRedirects} redirects, the last one to ${location}`);
    }
    url = webAddress(location, url);
  }
}

/**
 * Reads at most `maximumBytes` of the body, counted after decompression: a
 * small body can unpack to a large one.
 *
 * @param {Response} response
 * @param {number} maximumBytes
 */
export async function readBody(response, maximumBytes) {
  const chunks = [];
  let length = 0;
  for await (const chunk of decompressed(response)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maximumBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maximumBytes), truncated: length > maximumBytes };
}

/**
 * @param {string} address
 * @param {URL} [base]
 */
function webAddress(address, base) {
  if (!URL.canParse(address, base?.href)) throw new DownloadError('ADDRESS_INVALID', `not an address: ${address}`);
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new DownloadError('ADDRESS_INVALID', `only http and https are fetched, not ${url.protocol}`);
  }
  if (url.username || url.password) throw new DownloadError('ADDRESS_INVALID', 'an address may not carry a user name or password');
  return url;
}

/**
 * `fetch` takes no `lookup`, and its connections are shared with other code;
 * hence a request and a connection of its own.
 *
 * @param {URL} url
 * @param {AbortSignal} signal
 * @param {(address: string) => boolean} mayConnect
 * @returns {Promise<Response>}
 */
function send(url, signal, mayConnect) {
  // A socket looks up names only, so an address is judged here.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && !mayConnect(host)) throw new AddressRefused(host);

  const headers = { accept: 'text/html, application/xhtml+xml, text/plain;q=0.8', 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'example-fetch-page/1.0' };
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    start(url, { agent: false, headers, lookup: guardedLookup(mayConnect), signal })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

/**
 * @param {Response} response
 * @returns {AsyncIterable<Buffer>}
 */
function decompressed(response) {
  const decoder = decoderOf(response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity');
  // The reader sees the decoder's error; the callback keeps it from being thrown twice.
  return decoder ? pipeline(response, decoder, () => {}) : response;
}

/** @param {string} encoding */
function decoderOf(encoding) {
  switch (encoding) {
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new DownloadError('ENCODING_UNKNOWN', `cannot unpack ${encoding}`);
  }
}
