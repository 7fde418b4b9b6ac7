import type { ErrorCode } from './errors.js';

/** The version every message carries as `v`. */
export const protocolVersion = 2;

/** The context of one tool call as the caller sent it; fields of later protocol versions pass through. */
export interface WireContext {
  readonly [field: string]: unknown;
  readonly tenantId: string;
  readonly runId: string;
}

/** Run a tool. */
export interface ToolInvoke {
  readonly v: typeof protocolVersion;
  readonly kind: 'invoke';
  readonly tool: { readonly id: string; readonly version?: string };
  readonly input: unknown;
  readonly ctx: WireContext;
}

/** Run a guardrail check. */
export interface CheckInvoke {
  readonly v: typeof protocolVersion;
  readonly kind: 'check-invoke';
  readonly check: { readonly id: string };
  readonly config: Readonly<Record<string, unknown>>;
  readonly trace: unknown;
}

/** What POST /v1/invoke takes. */
export type Request = ToolInvoke | CheckInvoke;

/** A tool's answer. */
export interface ToolResult {
  readonly v: typeof protocolVersion;
  readonly kind: 'result';
  readonly output: unknown;
}

/** The run is to wait for another system's answer, which then is the tool's. */
export interface Pause {
  readonly v: typeof protocolVersion;
  readonly kind: 'pause';
  /** 24 hours when left out. */
  readonly timeoutMs?: number;
  readonly name?: string;
}

/** A check's verdict. */
export interface CheckVerdict {
  readonly v: typeof protocolVersion;
  readonly kind: 'check-result';
  readonly result: { readonly [field: string]: unknown; readonly passed: boolean; readonly reason?: string };
}

/** One validation issue, in Ajv's shape; `keyword` is absent when no schema keyword failed. */
export interface Issue {
  readonly instancePath: string;
  readonly schemaPath?: string;
  readonly keyword?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** What was thrown, as plain data: never an Error, which would lose its class, name and code between threads. */
export interface Cause {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string | number;
  readonly cause?: Cause;
  readonly errors?: readonly Cause[];
}

/** What an error message may say beside its code. */
export interface ErrorDetails {
  readonly toolId?: string | undefined;
  readonly checkId?: string | undefined;
  readonly cause?: Cause;
  readonly issues?: readonly Issue[];
}

/** Running pack code gave no result. */
export interface ErrorMessage extends ErrorDetails {
  readonly v: typeof protocolVersion;
  readonly kind: 'error';
  readonly code: ErrorCode;
  readonly message: string;
}

/** Builds an error message; undefined details are left out by JSON. */
export function errorMessage(code: ErrorCode, message: string, details: ErrorDetails = {}): ErrorMessage {
  return { v: protocolVersion, kind: 'error', code, message, ...details };
}

/** The answer to GET /v1/info. */
export interface Info {
  readonly protocol: typeof protocolVersion;
  readonly packId: string;
  readonly packVersion: string;
  readonly artifactVersion: string;
  readonly tools: readonly { readonly id: string; readonly version?: string }[];
  readonly checks: readonly string[];
  /** The required environment names that are unset or empty, sorted. */
  readonly missingEnv: readonly string[];
}
