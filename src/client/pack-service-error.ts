/**
 * A pack service that gave no outcome. `refused`: it answered with a status that is not 200; with 503 the
 * call did not run. `unreachable`: the connection failed, and the call may have run unless it was never made.
 * `not-understood`: what it answered is no message of the protocol.
 */
export class PackServiceError extends Error {
  override readonly name = 'PackServiceError';
  readonly kind: 'refused' | 'unreachable' | 'not-understood';
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(kind: PackServiceError['kind'], message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.kind = kind;
    this.status = status;
  }
}
