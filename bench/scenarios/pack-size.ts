import { copyId, toolId, withPack } from '../packs/write-pack.js';
import type { Scenario } from '../scenario.js';
import { sideBySide, sideFlags, sideMetrics } from '../side-by-side.js';

const alone = 'one tool';
const tools = 1000;

/** What the other tools of a pack cost a call. */
export const packSize: Scenario = {
  name: 'pack-size',
  title: 'An echo among 1,000 tools, against one by itself',
  metrics: sideMetrics,
  floor: alone,
  flags: sideFlags,
  notes: ['Each tool has a module and schemas of its own; the one called stands in the middle. Rounds take turns.'],
  run: (context) =>
    withPack([{ handler: 'echo' }], (small) =>
      withPack([{ handler: 'echo' }], (large) =>
        sideBySide(context, [{ name: alone, pack: small, tool: toolId('echo') }, { name: '1,000 tools', pack: large, tool: copyId(toolId('echo'), tools / 2) }]), tools)),
};
