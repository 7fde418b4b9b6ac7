import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder that the runs of a soak and the soak itself share. */
export const sharedFolder = (): string => process.env['SOAK_FOLDER'] ?? '.';

/** The ledger of runs: a line for every time that a call's code ran. */
export const ledgerIn = (folder: string): string => join(folder, 'ledger');

// Taken before any tool patches what everybody uses.
const append = appendFileSync;
const ledger = ledgerIn(sharedFolder());

/** Writes down that a call runs. Opened with O_APPEND: lines of several threads never mix. */
export const ran = (nonce: string): void => append(ledger, `${nonce}\n`);
