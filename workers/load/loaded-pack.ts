import type { Declared } from '../../src/sdk/call-context.js';
import type { ToolName } from '../../src/threads/link/thread-pack.js';
import type { PackFunction } from './select-export.js';
import type { Parser } from './standard-schema.js';
import type { Validator } from './validators.js';

/** A tool ready to be called. */
export interface LoadedTool {
  readonly id: string;
  readonly version: string | undefined;
  readonly handler: PackFunction;
  readonly validateInput: Validator;
  readonly validateOutput: Validator;
  /** The schema the pack's own code carries, if any. */
  readonly parseInput: Parser | undefined;
  /** Which parts its calls' context has besides; undefined when none. */
  readonly declared: Declared | undefined;
  /** Its handler was declared with the SDK, and relies on a context without gaps. */
  readonly ofSdk: boolean;
}

/** A check ready to be called. */
export interface LoadedCheck {
  readonly id: string;
  readonly evaluate: PackFunction;
  readonly validateConfig: Validator | undefined;
}

/** Everything a thread can be asked to run. */
export interface LoadedPack {
  /** By id; several versions may stand side by side. */
  readonly tools: ReadonlyMap<string, readonly LoadedTool[]>;
  /** Every tool of the whole pack by id, those of other threads included. */
  readonly catalog: ReadonlyMap<string, readonly ToolName[]>;
  readonly checks: ReadonlyMap<string, LoadedCheck>;
}
