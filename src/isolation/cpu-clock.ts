import { readFileSync } from 'node:fs';

/**
 * The CPU time a thread of this process has used, in milliseconds; undefined where the kernel does not
 * say. The first field of /proc/PID/task/TID/schedstat is that time in nanoseconds
 * (https://docs.kernel.org/scheduler/sched-stats.html).
 */
export function threadCpuMs(nativeThreadId: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/self/task/${nativeThreadId}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}
