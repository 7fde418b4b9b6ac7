import { type BuiltInCheck, quoted, verdict } from './check.js';
import { searchOutput, type SubstringConfig, substringConfigSchema } from './substrings.js';

/** Passes when the output holds none of the texts. */
export const forbiddenSubstring: BuiltInCheck<SubstringConfig> = {
  id: 'forbidden-substring',
  configSchema: substringConfigSchema,
  mayHang: () => false,
  evaluate(config, trace) {
    const { present } = searchOutput(config, trace);
    return verdict(present.length === 0 ? undefined : `The output holds ${quoted(present)}.`, { present });
  },
};
