import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root, seen from the built benchmark (dist/bench/…). */
export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** The public entry that is measured: the command, as its users start it. */
export const builtCommand = join(projectRoot, 'dist/src/cli/main.js');

/** The peers, a project of their own with a lock file of its own. */
export const peersFolder = join(projectRoot, 'bench/peers');
