import { type ErrorMessage, errorMessage, protocolVersion, type Request } from './messages.js';

/** A body that is a request, or the error to answer it with. */
export type ParsedRequest = { readonly kind: 'ok'; readonly request: Request } | { readonly kind: 'error'; readonly error: ErrorMessage };

type Fields = Readonly<Record<string, unknown>>;

/** Checks that a JSON value is a request of protocol 2; pack schemas are not its concern. */
export function parseRequest(value: unknown): ParsedRequest {
  if (!isRecord(value)) return malformed(`The body must be a JSON object, not ${describe(value)}.`);
  if (value['v'] !== protocolVersion) {
    return failed(errorMessage('unknown-protocol-version', `This service speaks protocol ${protocolVersion}; the message says \`v\`: ${show(value['v'])}.`));
  }
  switch (value['kind']) {
    case 'invoke':
      return parseToolInvoke(value);
    case 'check-invoke':
      return parseCheckInvoke(value);
    default:
      return failed(errorMessage('unexpected-message-kind', `\`kind\` must be "invoke" or "check-invoke", not ${show(value['kind'])}.`));
  }
}

function parseToolInvoke(message: Fields): ParsedRequest {
  const { tool, ctx } = message;
  if (!isRecord(tool) || !isId(tool['id'])) return malformed('`tool.id` must be a string that is not empty.');
  if (tool['version'] !== undefined && typeof tool['version'] !== 'string') return malformed('`tool.version` must be a string.');
  if (!isRecord(ctx)) return malformed('`ctx` must be an object.');
  if (typeof ctx['tenantId'] !== 'string') return malformed('`ctx.tenantId` must be a string.');
  if (typeof ctx['runId'] !== 'string') return malformed('`ctx.runId` must be a string.');
  return { kind: 'ok', request: message as unknown as Request };
}

function parseCheckInvoke(message: Fields): ParsedRequest {
  const { check, config } = message;
  if (!isRecord(check) || !isId(check['id'])) return malformed('`check.id` must be a string that is not empty.');
  if (!isRecord(config)) return malformed('`config` must be an object.');
  return { kind: 'ok', request: message as unknown as Request };
}

function malformed(message: string): ParsedRequest {
  return failed(errorMessage('malformed-message', message));
}

function failed(error: ErrorMessage): ParsedRequest {
  return { kind: 'error', error };
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'object' ? describe(value) : String(JSON.stringify(value)).slice(0, 80);
}
