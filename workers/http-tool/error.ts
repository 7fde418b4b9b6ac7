/** How a tool that is one HTTP request can fail; the `name` of its call's cause. */
export type HttpToolErrorName =
  | 'PlaceholderMissing'
  | 'PlaceholderInvalid'
  | 'SecretMissing'
  | 'SecretInvalid'
  | 'HttpRequestFailed'
  | 'HttpTimeout'
  | 'HttpStatus'
  | 'HttpBodyInvalid'
  | 'HttpBodyTooLarge';

/** A request that could not be made, or was not answered as it should. */
export class HttpToolError extends Error {
  override readonly name: HttpToolErrorName;

  constructor(name: HttpToolErrorName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }
}
