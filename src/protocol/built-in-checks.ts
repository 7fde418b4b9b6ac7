/** The ids of packhost's own checks. A guardrail may name one; a pack may not ship a check of its own under it. */
export const builtInCheckIds = ['must-cite', 'never-call-tool', 'max-tool-calls', 'output-matches', 'tool-order', 'required-substring', 'forbidden-substring'] as const;

/** The id of a check that packhost brings. */
export type BuiltInCheckId = (typeof builtInCheckIds)[number];

/** Whether an id is reserved for one of packhost's own checks. */
export function isBuiltInCheckId(id: string): id is BuiltInCheckId {
  return (builtInCheckIds as readonly string[]).includes(id);
}
