import { join } from 'node:path';

/** The file that lets the gathered calls go. */
export const releaseIn = (folder: string): string => join(folder, 'release');
