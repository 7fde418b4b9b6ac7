/**
 * Has work done within its time. When that is over, the signal fires and `late`'s error is thrown, whatever
 * becomes of the work. Work that holds up the calling thread cannot be ended from here.
 */
export async function withinTime<T>(limitMs: number, late: () => Error, work: (abortSignal: AbortSignal) => T | Promise<T>): Promise<T> {
  const controller = new AbortController();
  const begun = work(controller.signal);
  if (!isThenable(begun)) return begun;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = late();
      controller.abort(error);
      reject(error);
    }, limitMs);
  });
  try {
    return await Promise.race([begun, over]);
  } finally {
    clearTimeout(timer);
  }
}

function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
