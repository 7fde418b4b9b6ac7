import { type BuiltInCheck, quoted, verdict } from './check.js';
import { searchOutput, type SubstringConfig, substringConfigSchema } from './substrings.js';

/** Passes when the output holds every one of the texts. */
export const requiredSubstring: BuiltInCheck<SubstringConfig> = {
  id: 'required-substring',
  configSchema: substringConfigSchema,
  mayHang: () => false,
  evaluate(config, trace) {
    const { absent } = searchOutput(config, trace);
    return verdict(absent.length === 0 ? undefined : `The output does not hold ${quoted(absent)}.`, { absent });
  },
};
