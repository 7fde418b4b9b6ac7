import type { Report } from './result.js';
import type { Writer } from './writer.js';

/** Results that come this close together, in milliseconds, are written together, up to so many characters: each write wakes whoever reads the pipe. */
const togetherMs = 100;
const togetherLength = 65_536;

/** One JSON document: `results` in the order of the traces, one a line, then the `totals`. It is written as it comes. */
export function jsonReport(out: Writer): Report {
  let separator = '{"results":[\n';
  let gathered = '';
  let writtenAt = -Infinity;
  const write = async (): Promise<void> => {
    const text = gathered;
    gathered = '';
    writtenAt = performance.now();
    await out.write(text);
  };
  return {
    async add(result) {
      gathered += `${separator}${JSON.stringify(result)}`;
      separator = ',\n';
      if (gathered.length >= togetherLength || performance.now() - writtenAt >= togetherMs) await write();
    },
    async end(totals) {
      gathered += `${separator.startsWith('{') ? separator : '\n'}],"totals":${JSON.stringify({ ...totals, buildMustStop: totals.stopping > 0 })}}\n`;
      await write();
    },
  };
}
