/** Pack code reached for something that its network policy does not let it have. */
export class NetworkDenied extends Error {
  override readonly name = 'NetworkDenied';
  readonly code = 'ERR_NETWORK_DENIED';
}
