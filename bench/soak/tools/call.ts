import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** What every tool of the soak gets, beside what its kind adds. */
export interface Input {
  readonly nonce: string;
}

/** As much of a call's context as these tools use. */
export interface Context {
  readonly abortSignal: AbortSignal;
}

/** The folder that the runs of a soak and the soak itself share. */
export const sharedFolder = (): string => process.env['SOAK_FOLDER'] ?? '.';

/** The ledger of runs: a line for every time that a call's code ran. */
export const ledgerIn = (folder: string): string => join(folder, 'ledger');

// Taken before any tool patches what everybody uses.
const append = appendFileSync;
const ledger = ledgerIn(sharedFolder());

/** Writes down that a call runs. Opened with O_APPEND: lines of several threads never mix. */
export const ran = (nonce: string): void => append(ledger, `${nonce}\n`);

/** The file that lets the gathered calls go. */
export const releaseIn = (folder: string): string => join(folder, 'release');
