import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import extractCitations from '../tools/extract-citations.mjs';

const extract = (text, maximum = 1000) => extractCitations.handler({ text, maximum });
const values = (text) => extract(text).citations.map(({ kind, value }) => [kind, value]);

describe('example.extract-citations', () => {
  it('finds numbers in square brackets', () => {
    assert.deepEqual(values('One [1], more [2, 4–6], a footnote [^7], inside (see [3]).'), [
      ['number', '1'], ['number', '2,4-6'], ['number', '7'], ['number', '3'],
    ]);
  });

  it('finds author and year', () => {
    assert.deepEqual(values('[Smith 2020] (Smith et al., 2020a; Doe, 2019) [O’Brien & Łukasz, 1999, pp. 3–5]'), [
      ['author-year', 'Smith 2020'], ['author-year', 'Smith et al., 2020a; Doe, 2019'], ['author-year', 'O’Brien & Łukasz, 1999, pp. 3–5'],
    ]);
  });

  it('leaves other brackets alone', () => {
    assert.deepEqual(values('[todo] [x] [] [ ] (May 2020) (see above) [smith 2020] [12345] array[i] f(x, 2020)'), []);
  });

  it('finds DOIs in one form, however they are written', () => {
    const expected = ['doi', '10.1000/abc(x)y'];
    for (const text of ['10.1000/ABC(x)y', 'doi:10.1000/abc(x)y.', '(doi: 10.1000/abc(x)y)', 'https://doi.org/10.1000/abc%28x%29y', 'http://dx.doi.org/10.1000/ABC(x)y,', 'doi.org/10.1000/abc(x)y']) {
      assert.deepEqual(values(text), [expected], text);
    }
  });

  it('finds web addresses without the punctuation around them', () => {
    assert.deepEqual(values('See https://example.com/a?b=c. (Or http://example.org/x_(y)) [site](https://example.net)[1] <https://example.com/#z>!'), [
      ['url', 'https://example.com/a?b=c'], ['url', 'http://example.org/x_(y)'], ['url', 'https://example.net/'], ['number', '1'], ['url', 'https://example.com/#z'],
    ]);
  });

  it('finds no address where there is none', () => {
    assert.deepEqual(values('https://... ftp://example.com http:/example.com 10.1000/. xhttps://example.com'), []);
  });

  it('says where each stands', () => {
    const text = '😀 As shown [1], and at https://example.com.';
    for (const { start, end, text: cited } of extract(text).citations) assert.equal(text.slice(start, end), cited);
    assert.deepEqual(extract(text).citations.map(({ start }) => start), [12, 24]);
  });

  it('counts kinds and different values over the whole text, beyond the maximum', () => {
    const result = extract('[1] [1] [2] https://example.com', 2);
    assert.equal(result.citations.length, 2);
    assert.deepEqual(result.counts, { number: 3, 'author-year': 0, doi: 0, url: 1 });
    assert.equal(result.distinct, 3);
    assert.equal(result.truncated, true);
    assert.equal(extract('[1] [2]', 2).truncated, false);
  });

  it('takes time in proportion to a text made to slow it down', { timeout: 20_000 }, () => {
    const size = 100_000;
    for (const piece of ['[', '[a', '(A ', '[1]', 'http://', '10.1000/', `[A${' a'.repeat(97)}]`, 'http://a/)']) extract(piece.repeat(size / piece.length));
    extract(`http://a/${')'.repeat(size)}`);
  });
});
