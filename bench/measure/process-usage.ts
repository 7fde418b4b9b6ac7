import { readFileSync } from 'node:fs';

/** The kernel counts CPU time in hundredths of a second, on every Linux that Node.js runs on. */
const tickMs = 10;

/** User and system time of a process with all its threads, dead ones included. */
export function cpuTimeMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the command in parentheses and may hold anything; count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

const statusLine = (pid: number, name: string): number => {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (found === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(found);
};

export const residentMiB = (pid: number): number => statusLine(pid, 'VmRSS') / 1024;

export const threadCount = (pid: number): number => statusLine(pid, 'Threads');

/** The highest thread count and resident size while `work` runs. */
export async function peakUsage<T>(pid: number, work: Promise<T>): Promise<{ result: T; threads: number; residentMiB: number }> {
  const peak = { threads: 0, residentMiB: 0 };
  const look = (): void => {
    peak.threads = Math.max(peak.threads, threadCount(pid));
    peak.residentMiB = Math.max(peak.residentMiB, residentMiB(pid));
  };
  look();
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // A process that is about to end has no size any more; that it ended is for `work` to tell.
    }
  }, 50);
  try {
    return { result: await work, ...peak };
  } finally {
    clearInterval(timer);
  }
}
