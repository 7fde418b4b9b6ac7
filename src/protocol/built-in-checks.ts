/** The ids of the checks that come with the host: a pack may use them, and may not ship a check of its own under one. */
export const builtInChecks = ['must-cite', 'never-call-tool', 'max-tool-calls', 'output-matches', 'tool-order', 'required-substring', 'forbidden-substring'] as const;
