import type { Profile } from '../isolation/profile.js';
import type { SchemaWarning } from '../packs/entry-schemas.js';
import type { CallTags } from '../protocol/call-tags.js';
import type { CallOutcome } from '../protocol/errors.js';
import type { Cause } from '../protocol/messages.js';
import type { AnswerBody, FaultKind, MessageBody } from '../threads/link/messages.js';

/** What happens in a service, as one typed stream. Who wants to know observes it; nobody who emits knows who does. */
export type ServiceEvent = CallEvent | ThreadEvent | PackEvent | JournalEvent | LifecycleEvent;

/** Why a call was refused: it has not run. */
export type RefusalReason = 'draining' | 'not ready' | 'overloaded' | 'missing env' | 'unauthorized' | 'too large' | 'unsupported content type';

/** A call on its way: it comes and is refused, or comes, begins and ends. One that ends while it waits never begins. */
export type CallEvent =
  | { readonly kind: 'call-came' }
  | { readonly kind: 'call-refused'; readonly reason: RefusalReason }
  /** A thread was given the call; it may be taken back, and begin again on another. */
  | { readonly kind: 'call-began'; readonly tags: CallTags; readonly waitedMs: number }
  | CallEnded
  /** A handler settled after its call had ended. */
  | { readonly kind: 'handler-finished-late'; readonly tags: CallTags; readonly afterMs: number };

/** A call has its outcome, which its caller gets once every observer has taken notice. */
export interface CallEnded {
  readonly kind: 'call-ended';
  readonly target: 'tool' | 'check' | undefined;
  readonly id: string | undefined;
  readonly tags: CallTags;
  readonly outcome: CallOutcome;
  /** From its arrival on. */
  readonly durationMs: number;
  /** Undefined where it had not come whole. */
  readonly message: MessageBody | undefined;
  /** Undefined where the caller was gone. */
  readonly answer: AnswerBody | undefined;
}

/** The threads that run pack code. */
export type ThreadEvent =
  | { readonly kind: 'thread-started'; readonly loadedInMs: number }
  | { readonly kind: 'thread-ended'; readonly reason: string; readonly tags: CallTags | undefined }
  /** A thread could not start, or could not load the pack. Another is tried after so long. */
  | { readonly kind: 'thread-failed'; readonly problems: readonly string[]; readonly retryInMs: number }
  /** Something a call left behind failed after its answer. */
  | { readonly kind: 'late-fault'; readonly fault: FaultKind; readonly tags: CallTags | undefined; readonly cause: Cause }
  /** How many ended threads native code keeps alive has changed. */
  | { readonly kind: 'threads-stuck'; readonly count: number; readonly allowed: number }
  /** Resident memory is above what the operator allows; both in MiB. */
  | { readonly kind: 'memory-high'; readonly rssMb: number; readonly maxRssMb: number };

/** The pack that is served. */
export type PackEvent =
  | { readonly kind: 'schema-warning'; readonly warning: SchemaWarning }
  /** The environment names that pack code does not get; never their values. */
  | { readonly kind: 'env-dropped'; readonly names: readonly string[] }
  /** Calls go to a new version of the pack. */
  | ({ readonly kind: 'reloaded' } & ReloadedPack)
  /** The new version cannot be served; the old one goes on. */
  | { readonly kind: 'reload-failed'; readonly problems: readonly string[] };

/** What is served after a reload; `tools` and `checks` are counts. */
export interface ReloadedPack {
  readonly artifactVersion: string;
  readonly tools: number;
  readonly checks: number;
  readonly durationMs: number;
}

/** The journal of the calls. */
export type JournalEvent =
  /** It has not all of the calls. */
  | { readonly kind: 'journal-behind'; readonly reason: string }
  /** It takes the calls again; so many, since the service started, are not in it. */
  | { readonly kind: 'journal-keeps-up'; readonly missing: number }
  /** The service has ended, and so many calls are not in its journal. */
  | { readonly kind: 'journal-lost'; readonly calls: number };

/** The service itself. */
export type LifecycleEvent =
  | ({ readonly kind: 'listening' } & ListeningService)
  | { readonly kind: 'boot-failed'; readonly problems: readonly string[] }
  | { readonly kind: 'config-invalid'; readonly problems: readonly string[] }
  /** The token could not be taken out of the process's start-up environment. */
  | { readonly kind: 'token-exposed'; readonly reason: string }
  | { readonly kind: 'draining' }
  | { readonly kind: 'stopped' }
  /** The service cannot go on and ends, for its supervisor to restart. */
  | { readonly kind: 'unusable'; readonly reason: string }
  /** The service itself failed while it handled a request; the caller got a 500. */
  | { readonly kind: 'request-failed'; readonly error: unknown }
  /** Work that nobody waits for failed. */
  | { readonly kind: 'background-failed'; readonly work: string; readonly error: unknown };

/** What is served, and where. */
export interface ListeningService {
  readonly port: number;
  readonly packId: string;
  readonly artifactVersion: string;
  /** How the pack's code is held: one for each isolation profile, with how many tools and checks it holds. */
  readonly profiles: readonly (Profile & { readonly tools: number; readonly checks: number })[];
}
