import { errorCodes } from './errors.js';
import { type CheckVerdict, type ErrorMessage, type Pause, protocolVersion, type ToolResult } from './messages.js';

/** What POST /v1/invoke answers with 200. */
export type Response = ToolResult | Pause | CheckVerdict | ErrorMessage;

type Fields = Readonly<Record<string, unknown>>;

/** A JSON text as a response of protocol 2; undefined when it is none. Error codes of a later version are taken as they are. */
export function parseResponse(text: string): Response | undefined {
  const message = parseObject(text);
  if (message?.['v'] !== protocolVersion) return undefined;
  switch (message['kind']) {
    case 'result':
      return 'output' in message ? (message as unknown as ToolResult) : undefined;
    case 'pause':
      return message as unknown as Pause;
    case 'check-result':
      return isObject(message['result']) && typeof message['result']['passed'] === 'boolean' ? (message as unknown as CheckVerdict) : undefined;
    case 'error':
      return typeof message['code'] === 'string' && typeof message['message'] === 'string' ? (message as unknown as ErrorMessage) : undefined;
    default:
      return undefined;
  }
}

/** Whose fault an error is; one whose code is not known is the pack's. */
export function faultOf({ code }: ErrorMessage): 'caller' | 'pack' {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code].fault : 'pack';
}

/** A JSON text as an object; undefined when it is none. */
export function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
