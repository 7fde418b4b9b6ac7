import t from 'tap';
import { failsWith, outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';

const service = await serve(t, { pack: 'answers-plainly' });
const json = { 'content-type': 'application/json' };
const call = JSON.stringify(toolCall('echo', { text: 'x' }));

t.test('a body that is not declared to be JSON is 415', async (t) => {
  for (const type of [undefined, '', 'text/plain', 'text/json', 'application/xml', 'application/jsonx', 'application/json-patch+json', 'application/vnd.api+json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=application/json', 'json']) {
    const answer = await service.request('POST', '/v1/invoke', { body: call, headers: type === undefined ? {} : { 'content-type': type } });
    t.equal(answer.status, 415, String(type));
    t.type((answer.body as { error?: unknown }).error, 'string');
  }
});

t.test('the content type has no case, and its parameters do not matter', async (t) => {
  for (const type of ['application/json', 'Application/JSON', 'application/json;charset=utf-8', 'application/json; charset=UTF-8; x=y', 'application/json ; charset=utf-8']) {
    t.same(outputOf(await service.invoke(call, { 'content-type': type })), { text: 'x' }, type);
  }
});

t.test('text of any script arrives and comes back as it was, with the right length', async (t) => {
  const texts = ['😀👩‍👩‍👧', 'žluťoučký kůň — ÄÖÜ', '漢字かな한글', 'עברית العربية', 'e\u0301 \u202e', '\u0000\u0001\u001f\u007f', '\u2028\u2029\ufeff\uffff', '"\\/\b\f\n\r\t', '\ud800 and \udfff'];
  for (const text of texts) {
    const answer = await service.invoke(toolCall('echo', { text }));
    t.strictSame(outputOf(answer), { text });
    t.equal(Number(answer.headers['content-length'] ?? Buffer.byteLength(answer.text)), Buffer.byteLength(answer.text));
  }
});

t.test('a character cut by the network is put together again', async (t) => {
  const bytes = Buffer.from(JSON.stringify(toolCall('echo', { text: 'a😀b' })));
  const middle = bytes.indexOf(0xf0) + 2;
  const answer = await service.request('POST', '/v1/invoke', {
    headers: { ...json, 'content-length': bytes.length }, body: bytes.subarray(middle),
    onRequest: (request) => { request.setNoDelay(true); request.write(bytes.subarray(0, middle)); request.flushHeaders(); },
  });
  t.same(outputOf(answer), { text: 'a😀b' });
});

t.test('bytes that are no UTF-8 are a malformed message, even inside of a string', async (t) => {
  const bytes = Buffer.from(call.replace('"x"', '"??"'), 'latin1');
  const at = bytes.indexOf('??');
  for (const pair of [[0xff, 0xfe], [0xc3, 0x28], [0xed, 0xa0], [0xc0, 0xaf]]) {
    const broken = Buffer.from(bytes);
    broken.set(pair, at);
    failsWith(t, await service.invoke(broken), 'malformed-message');
  }
  failsWith(t, await service.invoke(Buffer.from([0x7b, 0xff, 0x7d])), 'malformed-message');
});

t.test('a caller that waits for 100-continue is answered, and refused before it sends', async (t) => {
  const ask = (token: string): Promise<{ status: number | undefined; text: string }> => new Promise((resolve, reject) => {
    let text = '';
    void service.request('POST', '/v1/invoke', {
      token, headers: { ...json, expect: '100-continue', 'content-length': Buffer.byteLength(call) }, body: '',
      onRequest: (request) => {
        // The harness ends the request at once; this caller sends its body only when told to.
        request.end = () => request;
        request.flushHeaders();
        request.on('continue', () => request.write(call));
        request.on('response', (response) => {
          response.on('data', (chunk: Buffer) => { text += chunk.toString(); });
          response.on('end', () => { resolve({ status: response.statusCode, text }); request.destroy(); });
        });
      },
    }).catch(reject);
  });
  const served = await ask(service.token);
  t.equal(served.status, 200);
  t.match(served.text, /"result"/);
  t.equal((await ask('wrong')).status, 401);
});

t.test('a body that stops coming is ended by the deadline of the call', async (t) => {
  const answer = await service.request('POST', '/v1/invoke', {
    headers: { ...json, 'content-length': 1000, 'kindgi-timeout-ms': '200' },
    onRequest: (request) => { request.end = () => request; request.write('{"v":2,'); },
  });
  failsWith(t, answer, 'deadline-exceeded');
  t.same(outputOf(await service.invoke(call)), { text: 'x' }, 'and the service goes on');
});

t.test('a body that trickles in keeps nobody else waiting', async (t) => {
  const half = Math.floor(call.length / 2);
  let finish = (): void => {};
  const slow = service.request('POST', '/v1/invoke', {
    headers: { ...json, 'content-length': Buffer.byteLength(call) },
    onRequest: (request) => {
      const end = request.end.bind(request);
      request.end = () => request;
      request.write(call.slice(0, half));
      finish = () => { end(call.slice(half)); };
    },
  });
  for (let other = 0; other < 40; other += 1) t.same(outputOf(await service.invoke(call)), { text: 'x' });
  finish();
  t.same(outputOf(await slow), { text: 'x' });
});
