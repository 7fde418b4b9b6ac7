import type { MessagePort } from 'node:worker_threads';

/*
 * What a pack declares, and what the main thread and the thread that reads its sources say to each other: plain data.
 */

/** What a module of a pack may declare; `config` is the pack's own file. */
export type DefinitionKind = 'tool' | 'guardrail' | 'agent' | 'flow';

/** One file to import, and what the discovery patterns take it for. */
export interface SourceFile {
  /** Relative to the pack's folder, forward slashes. */
  readonly path: string;
  readonly url: string;
  readonly holds: 'config' | readonly DefinitionKind[];
}

/** What the reading thread gets. */
export interface ReadTask {
  readonly port: MessagePort;
  readonly files: readonly SourceFile[];
  /** One Int32, the imports begun, in shared memory: a module that hangs or exits can be named. */
  readonly progress: SharedArrayBuffer;
  /** To the thread that strips types, where Node does not and there are some. */
  readonly stripper: MessagePort | undefined;
}

/** One definition in its JSON form, schemas converted, functions left out. */
export interface Definition {
  readonly kind: DefinitionKind | 'config';
  readonly fields: Readonly<Record<string, unknown>>;
  /** The check is a function of this file, rather than the id of a built-in one. */
  readonly ownCheck?: boolean;
}

/** Something in a file that stops the pack (`error`), or that deserves a look (`warning`). */
export interface FileProblem {
  readonly severity: 'error' | 'warning';
  /** The definition it is in: its id, else the name of its export. */
  readonly entry?: string;
  /** `limits.memMB`; empty for the whole file. */
  readonly field: string;
  /** A short name for what was broken: `required`, `type`, `import`. */
  readonly rule: string;
  readonly message: string;
  readonly hint?: string;
}

/** What reading a file came to; one message a file, in the order of the task. */
export interface ReadFile {
  readonly path: string;
  readonly definitions: readonly Definition[];
  readonly problems: readonly FileProblem[];
}
