/** Something of a pack by id and version range, such as `^1.2.0`. */
export interface Reference {
  readonly id: string;
  readonly version: string;
}

/** A reference to a tool, pinned to its version. One without a version of its own has the pack's, of which there is only one. */
export function referenceTo({ id, version = '*' }: { readonly id: string; readonly version?: string }): Reference {
  return { id, version };
}
