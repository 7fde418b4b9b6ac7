/** What every tool of the soak gets, beside what its kind adds. */
export interface Input {
  readonly nonce: string;
}

/** As much of a call's context as these tools use. */
export interface Context {
  readonly abortSignal: AbortSignal;
}

/** The only answer that every healthy call has to give. */
export interface Output {
  readonly nonce: string;
}
