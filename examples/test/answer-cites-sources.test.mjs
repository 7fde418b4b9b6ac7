import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import answerCitesSources from '../guardrails/answer-cites-sources.mjs';

const judge = (output, config = {}) => answerCitesSources.check.evaluate(config, { output });
const cited = 'The moon is on average 384,400 kilometres away from the earth [1].';
const uncited = 'It turns around its axis in exactly the time of one orbit.';

describe('example.answer-cites-sources', () => {
  it('passes when every claim cites a source', () => {
    assert.deepEqual(judge(`${cited}\n\n${cited}`), { passed: true, attributes: { citations: 2, uncitedParagraphs: 0 } });
  });

  it('names the paragraphs that cite none', () => {
    const { passed, reason, attributes } = judge(`${cited}\n\n${uncited}`);
    assert.equal(passed, false);
    assert.match(reason, /It turns around its axis/);
    assert.doesNotMatch(reason, /The moon/);
    assert.deepEqual(attributes, { citations: 1, uncitedParagraphs: 1 });
  });

  it('takes any kind of citation', () => {
    for (const citation of ['[2]', '[Smith 2020]', '(Smith et al., 2020)', 'doi:10.1000/xyz', 'https://example.com/moon']) {
      assert.equal(judge(`${uncited} ${citation}`).passed, true, citation);
    }
  });

  it('asks nothing of headings, code, questions, short remarks and lists of sources', () => {
    const output = [
      '# A heading with quite a few words that say something', cited, 'Here you are.', 'Would you like to know how the tides come about, too?',
      '```\ncode with a good many words in it, and none\n\nof them cites anything at all, ever, anywhere\n```',
      '[1] A very long title of a book about the moon, https://example.com/book',
    ].join('\n\n');
    assert.equal(judge(output).passed, true);
  });

  it('asks for a minimum over the whole answer', () => {
    assert.equal(judge(cited, { minimumCitations: 2 }).passed, false);
    assert.equal(judge(`${cited} [2]`, { minimumCitations: 2 }).passed, true);
    assert.equal(judge(uncited, { minimumCitations: 0, everyParagraph: false }).passed, true);
  });

  it('can leave paragraphs alone, or hold shorter ones to the rule', () => {
    assert.equal(judge(`${cited}\n\n${uncited}`, { everyParagraph: false }).passed, true);
    assert.equal(judge(`${cited}\n\nIt is round.`, { minimumWords: 3 }).passed, false);
  });

  it('fails an empty or absent answer', () => {
    for (const output of ['', ' \n', undefined]) assert.equal(judge(output).passed, false);
  });

  it('reads every line end', () => {
    assert.equal(judge(`${cited}\r\n\r\n${uncited}`).attributes.uncitedParagraphs, 1);
  });
});
