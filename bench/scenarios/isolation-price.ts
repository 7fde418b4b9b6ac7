import { toolId, withPack } from '../packs/write-pack.js';
import type { Scenario } from '../scenario.js';
import { sideBySide, sideFlags, sideMetrics } from '../side-by-side.js';

const unchecked = 'sandbox none';

/** What the look at a thread between two calls costs: the same tool with it and without. */
export const isolationPrice: Scenario = {
  name: 'isolation-price',
  title: 'An echo with the checks between calls, against one without',
  metrics: sideMetrics,
  floor: unchecked,
  flags: sideFlags,
  notes: ['Two services that differ in the sandbox of their tool alone; a call has its thread to itself in both. Rounds take turns.'],
  run: (context) =>
    withPack([{ handler: 'echo', sandbox: 'none' }], (without) =>
      withPack([{ handler: 'echo', sandbox: 'context-isolated' }], (isolated) => {
        const tool = toolId('echo');
        return sideBySide(context, [{ name: unchecked, pack: without, tool }, { name: 'context-isolated', pack: isolated, tool }]);
      })),
};
