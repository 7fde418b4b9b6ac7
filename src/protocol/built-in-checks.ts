/** The ids of the checks that every runtime has; a pack may refer to one and may not ship its own under one. */
export const builtInCheckIds: readonly string[] = ['must-cite', 'never-call-tool', 'max-tool-calls', 'output-matches', 'tool-order', 'required-substring', 'forbidden-substring'];

export function isBuiltInCheck(id: string): boolean {
  return builtInCheckIds.includes(id);
}
