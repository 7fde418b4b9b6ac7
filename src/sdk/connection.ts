import { isRecord } from './kinds.js';

/** Whose account a connection is at the app. */
export interface ConnectionAccount {
  readonly id: string;
  readonly label: string;
}

/** What a connection says of itself, but for its token. */
export interface ConnectionFacts {
  readonly connectionId: string;
  /** The app's id, and its name for people. */
  readonly app: string;
  readonly appName: string;
  readonly account: ConnectionAccount;
  /** ISO time. */
  readonly expiresAt?: string;
  readonly name?: string;
}

/** What `util.inspect` asks an object for instead of looking into it; with `showHidden` and `getters` it would read the token. */
const inspected: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/**
 * A connection resolved for one call: an account at another app, with a short-lived token. Printing,
 * logging, spreading or turning it into JSON shows everything but the token.
 */
export class ToolConnection implements ConnectionFacts {
  /** The connection's id. */
  declare readonly connectionId: string;
  /** The app's id. */
  declare readonly app: string;
  /** The app's name for people. */
  declare readonly appName: string;
  /** Whose account it is. */
  declare readonly account: ConnectionAccount;
  /** When the token expires, as an ISO time. */
  declare readonly expiresAt?: string;
  /** What its owner calls it. */
  declare readonly name?: string;
  readonly #accessToken: string;

  constructor({ accessToken, ...facts }: ConnectionFacts & { readonly accessToken: string }) {
    Object.assign(this, facts);
    this.#accessToken = accessToken;
  }

  /** For the app's `authorization` header. */
  get accessToken(): string {
    return this.#accessToken;
  }

  /** What printing shows. */
  [inspected](): ConnectionFacts {
    return { ...this };
  }

  /** The connection for one entry of the wire's `connections`; undefined when it is none. */
  static fromWire(value: unknown): ToolConnection | undefined {
    if (!isRecord(value)) return undefined;
    const { connectionId, app, appName, accessToken, account, expiresAt, name } = value;
    if (typeof connectionId !== 'string' || typeof app !== 'string' || typeof appName !== 'string' || typeof accessToken !== 'string') return undefined;
    if (!isRecord(account) || typeof account['id'] !== 'string' || typeof account['label'] !== 'string') return undefined;
    return new ToolConnection({
      connectionId,
      app,
      appName,
      accessToken,
      account: { id: account['id'], label: account['label'] },
      ...(typeof expiresAt === 'string' ? { expiresAt } : {}),
      ...(typeof name === 'string' ? { name } : {}),
    });
  }
}

/**
 * The app refused a connection's token: an HTTP 401 from its API. Throw it with the tool's own name for
 * the connection, or throw an error whose `cause` it is; the call answers `connection-rejected`, and the
 * runtime renews the token once and runs the call again. Say what the app said, never the token.
 */
export class ConnectionRejected extends Error {
  override readonly name = 'ConnectionRejected';
  /** The name under `needsSpec.connections`. */
  readonly connection: string;

  constructor(connection: string, message = `The app refused the token of connection "${connection}".`, options?: ErrorOptions) {
    super(message, options);
    this.connection = connection;
  }
}
