import type { ThreadPack } from './threads.js';

/** Who needs a module: `Tools "a", "b"; Check "c"`. */
export function usersOf({ tools, checks }: ThreadPack, modulePath: string): string {
  return [...named('Tool', tools, modulePath), ...named('Check', checks.filter((check) => check.kind !== 'combined'), modulePath)].join('; ');
}

function named(kind: string, entries: readonly { readonly id: string; readonly modulePath: string | undefined }[], modulePath: string): string[] {
  const ids = new Set(entries.filter((entry) => entry.modulePath === modulePath).map((entry) => `"${entry.id}"`));
  return ids.size === 0 ? [] : [`${kind}${ids.size > 1 ? 's' : ''} ${[...ids].join(', ')}`];
}
