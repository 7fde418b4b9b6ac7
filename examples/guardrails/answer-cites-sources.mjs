import { findCitations } from '../library/citations.mjs';
import { claimParagraphs } from '../library/paragraphs.mjs';

/** @typedef {{ minimumCitations?: number, everyParagraph?: boolean, minimumWords?: number }} Config */

export const check = {
  id: 'example.answer-cites-sources',
  configSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      minimumCitations: { type: 'integer', minimum: 0, maximum: 1000, default: 1, description: 'How many citations the whole answer needs.' },
      everyParagraph: { type: 'boolean', default: true, description: 'Whether every paragraph that makes a claim needs one.' },
      minimumWords: { type: 'integer', minimum: 1, maximum: 1000, default: 8, description: 'A shorter paragraph makes no claim.' },
    },
  },

  /**
   * @param {Config} config
   * @param {{ output?: string }} trace
   */
  evaluate({ minimumCitations = 1, everyParagraph = true, minimumWords = 8 }, { output = '' }) {
    if (output.trim() === '') return { passed: false, reason: 'The answer is empty.' };
    const citations = findCitations(output).length;
    const uncited = everyParagraph
      ? claimParagraphs(output, minimumWords).filter(({ text }) => findCitations(text).length === 0)
      : [];
    const reasons = [
      citations < minimumCitations && `It has ${citations} of at least ${minimumCitations} citations.`,
      uncited.length > 0 && `These paragraphs cite no source: ${uncited.slice(0, 20).map(({ opening }) => `“${opening}”`).join(', ')}.`,
    ].filter((reason) => reason !== false);
    const attributes = { citations, uncitedParagraphs: uncited.length };
    return reasons.length === 0 ? { passed: true, attributes } : { passed: false, reason: reasons.join(' '), attributes };
  },
};

export default {
  id: 'example.answer-cites-sources',
  name: 'Every claim cites a source',
  kind: 'zero-llm',
  severity: 'error',
  action: { 'on-violation': 'retry', retry: { maxAttempts: 2 } },
  network: { kind: 'none' },
  config: { everyParagraph: true, minimumCitations: 1 },
  check,
};
