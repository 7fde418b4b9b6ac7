import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {{ sections: string[], sectionMs: number }} Input */
/** @typedef {(fields: object, message: string) => void} LogMethod */

export default {
  id: 'example.slow-report',
  description: 'Writes a report section by section, taking its time over each. A report that is stopped says which sections were done.',
  mutating: false,
  network: { kind: 'none' },
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      sections: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 100 },
        minItems: 1,
        maxItems: 50,
        default: ['summary', 'findings', 'outlook'],
      },
      sectionMs: { type: 'integer', minimum: 0, maximum: 60_000, default: 500, description: 'How long one section takes, in milliseconds.' },
    },
  },
  output: {
    type: 'object',
    required: ['finished', 'done', 'remaining'],
    additionalProperties: false,
    properties: {
      finished: { type: 'boolean' },
      done: { type: 'array', items: { type: 'string' }, maxItems: 50 },
      remaining: { type: 'array', items: { type: 'string' }, maxItems: 50 },
    },
  },

  /**
   * @param {Input} input
   * @param {{ abortSignal: AbortSignal, log: { info: LogMethod, warn: LogMethod } }} context
   */
  async handler({ sections, sectionMs }, { abortSignal, log }) {
    for (const [position, section] of sections.entries()) {
      try {
        await pause(sectionMs, undefined, { signal: abortSignal });
      } catch (error) {
        if (!abortSignal.aborted) throw error;
        const stopped = { finished: false, done: sections.slice(0, position), remaining: sections.slice(position) };
        // Whoever asked has gone or has had an answer; the log is where the rest is told.
        log.warn({ done: stopped.done, remaining: stopped.remaining }, 'report stopped');
        return stopped;
      }
      log.info({ section, done: position + 1, of: sections.length }, 'section done');
    }
    return { finished: true, done: sections, remaining: [] };
  },
};
