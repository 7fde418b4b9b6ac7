import { handler } from '../packs/handlers/burner.js';

/** How many turns of the burner take one millisecond of CPU on this machine, when nothing else runs. */
export function turnsPerMillisecond(): number {
  const turns = 5_000_000;
  let best = Infinity;
  for (let attempt = 0; attempt < 20; attempt++) {
    const startedAt = performance.now();
    handler({ iterations: turns });
    // The fastest attempt is the one that was disturbed least.
    best = Math.min(best, performance.now() - startedAt);
  }
  return Math.round(turns / best);
}
