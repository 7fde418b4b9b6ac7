import type { Report } from './result.js';
import type { Writer } from './writer.js';

/** One JSON document: `results` in the order of the traces, then the `totals`. It is written as it comes, one result a line. */
export function jsonReport(out: Writer): Report {
  let separator = '{"results":[\n';
  return {
    async add(result) {
      await out.write(`${separator}${JSON.stringify(result)}`);
      separator = ',\n';
    },
    async end(totals) {
      await out.write(`${separator.startsWith('{') ? separator : '\n'}],"totals":${JSON.stringify({ ...totals, buildMustStop: totals.stopping > 0 })}}\n`);
    },
  };
}
