import { readdirSync, readFileSync } from 'node:fs';

/** The environment name that marks the processes a thread has started, and theirs in turn. */
export const childMarkName = 'PACKHOST_THREAD';

/**
 * Kills every process that carries a mark. The mark is found in /proc, so this holds on Linux; a
 * process that replaced its environment on purpose is not found.
 */
export function killMarked(mark: string): void {
  const entry = `${childMarkName}=${mark}`;
  for (const pid of processIds()) {
    if (pid === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(entry)) continue;
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended in the meantime, or is not ours to see.
    }
  }
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return [];
  }
}
