import type { Records } from '../logging/records.js';
import { Journal, type JournalState } from '../memory/journal/journal.js';
import { MemoryError } from '../memory/errors.js';
import { BootError } from '../packs/boot-error.js';
import type { Settings } from './settings.js';

/** The service's journal: every answered call of a run, in a log that shows when it was tampered with. */
export interface ServiceJournal {
  readonly journal: Journal;
  /** Whether it has all of the calls so far, and takes those that come. */
  readonly isWhole: boolean;
  /** Writes what waits, and closes the log. */
  close(): Promise<void>;
}

/** Opens the journal that the settings ask for, if any; throws BootError when its database cannot be used. */
export async function openJournal({ journal: url, journalPayloads }: Settings, records: Records): Promise<ServiceJournal | undefined> {
  if (url === undefined) return undefined;
  let journal: Journal | undefined;
  const onState = (state: JournalState): void => {
    if (state.kind === 'keeping-up') records.journalKeepsUp(journal?.dropped ?? 0);
    else records.journalBehind(state.kind === 'behind' ? `more calls came than it could hold; ${state.dropped} are not in it` : state.reason);
  };
  try {
    journal = await Journal.open({ url, payloads: journalPayloads, onState });
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    throw new BootError([`Cannot open the journal: ${error.message}`], { cause: error });
  }
  const opened = journal;
  return {
    journal,
    get isWhole() {
      return opened.state.kind === 'keeping-up';
    },
    async close() {
      const { lost } = await opened.close();
      if (lost > 0) records.journalLost(lost);
    },
  };
}
