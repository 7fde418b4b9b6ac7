import type { EventStream, Observer } from '../events/event-stream.js';
import type { CallEnded } from '../events/event.js';
import { Journal, type JournalState } from '../memory/journal/journal.js';
import { MemoryError } from '../memory/errors.js';
import { BootError } from '../packs/boot-error.js';
import type { Settings } from './settings.js';

/** The service's journal: every call of a run that has its outcome, in a log that shows when it was tampered with. */
export interface ServiceJournal {
  readonly observer: Observer;
  /** Whether it has all of the calls so far, and takes those that come. */
  readonly isWhole: boolean;
  /** Writes what waits, and closes the log. */
  close(): Promise<void>;
}

/** Opens the journal that the settings ask for, if any; throws BootError when its database cannot be used. */
export async function openJournal({ journal: url, journalPayloads }: Settings, { emit }: EventStream): Promise<ServiceJournal | undefined> {
  if (url === undefined) return undefined;
  let journal: Journal | undefined;
  const onState = (state: JournalState): void => {
    if (state.kind === 'keeping-up') emit({ kind: 'journal-keeps-up', missing: journal?.dropped ?? 0 });
    else emit({ kind: 'journal-behind', reason: state.kind === 'behind' ? `more calls came than it could hold; ${state.dropped} are not in it` : state.reason });
  };
  try {
    journal = await Journal.open({ url, payloads: journalPayloads, onState });
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    throw new BootError([`Cannot open the journal: ${error.message}`], { cause: error });
  }
  const opened = journal;
  return {
    observer: (event) => {
      if (event.kind === 'call-ended') journalCall(opened, event);
    },
    get isWhole() {
      return opened.state.kind === 'keeping-up';
    },
    async close() {
      const { lost } = await opened.close();
      if (lost > 0) emit({ kind: 'journal-lost', calls: lost });
    },
  };
}

/** Calls without tenant, run or target are not journalled, nor those whose message or answer never was. */
function journalCall(journal: Journal, { target, id, tags, message, answer, outcome, durationMs }: CallEnded): void {
  const { tenantId, runId, requestId, projectId, orgId, traceId, spanId } = tags;
  if (target === undefined || id === undefined || tenantId === undefined || runId === undefined || message === undefined || answer === undefined) return;
  const ids = { tenantId, runId, requestId, projectId, orgId, traceId, spanId };
  const arrivedAt = Date.now() - durationMs;
  journal.record({ target, id, ...ids, outcome, arrivedAt, durationMs, message: journal.keep(message), answer: journal.keep(answer) });
}
