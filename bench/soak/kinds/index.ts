import { healthyKinds } from './healthy.js';
import { hostileCallers } from './hostile-callers.js';
import { hostileTools } from './hostile-tools.js';
import type { Kind } from './kind.js';

/** The last phase's calls, which fill the service to its cap. */
export const capacityKind = 'capacity';

/** What follows a call that was hung up. */
export const retryKind = 'retry';

export const hostileKinds = (maxConcurrency: number): readonly Kind[] => [...hostileTools, ...hostileCallers(maxConcurrency)];

/** The name of every kind there is, in the order of the report. */
export const kindNames: readonly string[] = [...healthyKinds, ...hostileKinds(1)].map(({ name }) => name).concat(retryKind, capacityKind);
