import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { openPage } from '../library/download.mjs';
import { readHtml } from '../library/page-text.mjs';
import { isPublicAddress } from '../library/public-address.mjs';
import fetchPage from '../tools/fetch-page.mjs';

const html = { 'content-type': 'text/html; charset=utf-8' };
let respond;
let origin;
const server = createServer((request, response) => respond(request, response));

const fetch = (path = '/', { signal = new AbortController().signal, ...input } = {}) =>
  fetchPage.handler(
    { url: new URL(path, origin).href, maximumBytes: 1_000_000, maximumRedirects: 5, timeoutMs: 10_000, ...input },
    { abortSignal: signal },
  );
const answer = (body, headers = html, status = 200) => {
  respond = (_request, response) => response.writeHead(status, headers).end(body);
};

before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}/`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  process.env.FETCH_PAGE_ALLOW_PRIVATE_ADDRESSES = 'yes';
});

describe('example.fetch-page', () => {
  it('answers title and text of a page', async () => {
    const page = '<title>Tides &amp; time</title><nav>Menu</nav><main><h1>Tides</h1><p>The sea <b>rises</b>.</p></main>';
    answer(page);
    assert.deepEqual(await fetch('/tides'), {
      url: `${origin}tides`, title: 'Tides & time', text: 'Tides\nThe sea rises.', contentType: 'text/html', charset: 'utf-8', bytes: page.length, truncated: false, redirects: 0,
    });
  });

  it('answers plain text as it is', async () => {
    answer('a < b\n\n  c', { 'content-type': 'text/plain' });
    const { title, text } = await fetch();
    assert.deepEqual({ title, text }, { title: '', text: 'a < b\nc' });
  });

  it('reads the charset of the header, of the page, and of a byte order mark', async () => {
    answer(Buffer.from('caf\xe9', 'latin1'), { 'content-type': 'text/html; charset=ISO-8859-1' });
    assert.equal((await fetch()).text, 'café');
    answer(Buffer.from('<meta charset="windows-1252">caf\xe9', 'latin1'), { 'content-type': 'text/html' });
    assert.equal((await fetch()).text, 'café');
    answer(Buffer.from('\uFEFFcafé', 'utf16le'), { 'content-type': 'text/html; charset=utf-8' });
    assert.equal((await fetch()).text, 'café');
    answer('café', { 'content-type': 'text/html; charset=no-such-charset' });
    assert.equal((await fetch()).text, 'café');
  });

  it('unpacks gzip and brotli, and refuses what it cannot unpack', async () => {
    answer(gzipSync('zipped'), { ...html, 'content-encoding': 'gzip' });
    assert.equal((await fetch()).text, 'zipped');
    answer(brotliCompressSync('pressed'), { ...html, 'content-encoding': 'br' });
    assert.equal((await fetch()).text, 'pressed');
    answer('?', { ...html, 'content-encoding': 'zpaq' });
    await assert.rejects(fetch(), { code: 'ENCODING_UNKNOWN' });
    answer('not zipped', { ...html, 'content-encoding': 'gzip' });
    await assert.rejects(fetch(), { code: 'Z_DATA_ERROR' });
  });

  it('leaves out what is beyond the byte limit, unpacked bytes too', async () => {
    answer('x'.repeat(1000));
    assert.deepEqual(await fetch('/', { maximumBytes: 1000 }).then(({ bytes, truncated }) => ({ bytes, truncated })), { bytes: 1000, truncated: false });
    assert.deepEqual(await fetch('/', { maximumBytes: 999 }).then(({ bytes, truncated }) => ({ bytes, truncated })), { bytes: 999, truncated: true });
    answer(gzipSync('x'.repeat(10_000_000)), { ...html, 'content-encoding': 'gzip' });
    assert.equal((await fetch('/', { maximumBytes: 100 })).text, 'x'.repeat(100));
  });

  it('stops reading a page that never ends', { timeout: 20_000 }, async () => {
    respond = (_request, response) => {
      response.writeHead(200, html);
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', write);
      write();
    };
    assert.equal((await fetch('/', { maximumBytes: 50_000 })).bytes, 50_000);
  });

  it('refuses other content types, other statuses and a page cut short', async () => {
    answer('%PDF', { 'content-type': 'application/pdf' });
    await assert.rejects(fetch(), TypeError);
    answer('untyped', {});
    await assert.rejects(fetch(), TypeError);
    answer('gone', html, 404);
    await assert.rejects(fetch(), { code: 'STATUS_REFUSED', message: /404/ });
    respond = (_request, response) => {
      response.writeHead(200, { ...html, 'content-length': 100 });
      response.write('half', () => response.destroy());
    };
    await assert.rejects(fetch(), { code: 'ECONNRESET' });
  });

  it('follows redirects up to its limit and answers where they led', async () => {
    respond = ({ url }, response) => {
      const left = Number(url.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.writeHead(200, html).end('arrived');
    };
    const { url, redirects } = await fetch('/5');
    assert.deepEqual({ url, redirects }, { url: `${origin}0`, redirects: 5 });
    await assert.rejects(fetch('/6'), { code: 'TOO_MANY_REDIRECTS' });
    await assert.rejects(fetch('/1', { maximumRedirects: 0 }), { code: 'TOO_MANY_REDIRECTS' });
  });

  it('refuses other protocols and credentials, in redirects too', async () => {
    for (const location of ['file:///etc/passwd', 'data:text/html,x', 'http://user:password@127.0.0.1/']) {
      await assert.rejects(fetch(location), { code: 'ADDRESS_INVALID' }, location);
      answer('', { location }, 302);
      await assert.rejects(fetch(), { code: 'ADDRESS_INVALID' }, location);
    }
    answer('', { location: 'http://[' }, 302);
    await assert.rejects(fetch(), { code: 'ADDRESS_INVALID' });
  });

  it('refuses private addresses, however they are written', async () => {
    delete process.env.FETCH_PAGE_ALLOW_PRIVATE_ADDRESSES;
    answer('private');
    const { port } = server.address();
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254']) {
      await assert.rejects(fetch(`http://${host}:${port}/`), { code: 'ADDRESS_REFUSED' }, host);
    }
  });

  it('judges the address a redirect leads to', async () => {
    answer('', { location: `http://127.0.0.2:${server.address().port}/` }, 302);
    const opened = openPage(origin, { signal: new AbortController().signal, maximumRedirects: 5, mayConnect: (address) => address === '127.0.0.1' });
    await assert.rejects(opened, { code: 'ADDRESS_REFUSED', message: /127\.0\.0\.2/ });
  });

  it('ends with its signal, before and within the answer', { timeout: 20_000 }, async () => {
    const reason = new Error('the caller left');
    for (const begin of [() => {}, (response) => response.writeHead(200, html).write('begun')]) {
      const controller = new AbortController();
      respond = (_request, response) => {
        begin(response);
        setTimeout(() => controller.abort(reason), 50);
      };
      await assert.rejects(fetch('/', { signal: controller.signal }), reason);
    }
    await assert.rejects(fetch('/', { signal: AbortSignal.abort(reason) }), reason);
  });

  it('ends at its own time limit', { timeout: 20_000 }, async () => {
    respond = () => {};
    await assert.rejects(fetch('/', { timeoutMs: 50 }), { name: 'TimeoutError' });
  });
});

describe('the text of a page', () => {
  const text = (page) => readHtml(page).text;

  it('leaves out scripts, styles, comments and navigation', () => {
    assert.equal(text('<style>p{}</style>a<script>if (1<2) "</p>"</script><!-- > c --><nav>menu<nav>inner</nav></nav>b'), 'ab');
    assert.equal(text('<svg/>a<svg><text>drawn</text></svg>b'), 'ab');
  });

  it('breaks lines at blocks and keeps words of one line together', () => {
    assert.equal(text('<p>one<b>two</b>\n three</p><div>four</div>five<br>six<my-icon></my-icon>seven'), 'onetwo three\nfour\nfive\nsixseven');
  });

  it('decodes entities once', () => {
    assert.equal(text('&lt;b&gt; &amp;lt; &#233;&#xe9;&eacute; &#0; &#x110000; &unknown; &'), '<b> &lt; ééé \uFFFD \uFFFD &unknown; &');
  });

  it('finds the end of a tag behind quoted brackets', () => {
    assert.equal(text('<p title="a > b" class=\'>\'>c</p>'), 'c');
  });

  it('prefers main and article to the rest of the page', () => {
    assert.equal(text('<div>ad</div><article>one</article><div>ad</div><article>two</article>'), 'one\ntwo');
    assert.equal(text('<main></main><div>all there is</div>'), 'all there is');
  });

  it('takes pages that break off', () => {
    for (const page of ['a<', 'a<p', 'a<p title="', 'a<!--', 'a<script>', 'a<title>', 'a</', 'a<nav>menu', 'a<!']) {
      assert.match(text(page), /^a<?$/, page);
    }
  });

  it('takes time in proportion to a page made to slow it down', { timeout: 20_000 }, () => {
    for (const piece of ['<', '<a ', '<a "', '<!--', '<script>', '<nav>', '<title>', '&amp', ' ', "<a'"]) readHtml(piece.repeat(300_000 / piece.length));
  });
});

describe('public addresses', () => {
  it('are told from those of machines, networks and tunnels', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111']) assert.ok(isPublicAddress(address), address);
    for (const address of ['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fe80::1%eth0', 'fd00::1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', 'localhost', '']) {
      assert.ok(!isPublicAddress(address), address);
    }
  });
});
