import type { WriteStream } from 'node:tty';

/** Tells who waits at a terminal how far it is. */
export interface Progress {
  read(bytes: number): void;
  judged(traces: number): void;
  /** Takes the bar away. */
  clear(): void;
}

const everyMs = 100;
const barWidth = 30;

/** A bar of the bytes read, on one line of a terminal; nothing at all anywhere else. */
export function progressOn(stream: WriteStream, totalBytes: number): Progress {
  if (!stream.isTTY) return { read: () => {}, judged: () => {}, clear: () => {} };
  let bytes = 0;
  let shownAt = 0;
  return {
    read: (count) => (bytes = count),
    judged(traces) {
      if (performance.now() - shownAt < everyMs) return;
      shownAt = performance.now();
      const part = totalBytes === 0 ? 1 : bytes / totalBytes;
      const done = Math.round(part * barWidth);
      stream.write(`\r${'█'.repeat(done)}${'░'.repeat(barWidth - done)} ${Math.round(part * 100)} % ${traces.toLocaleString('en')} traces`);
    },
    clear() {
      if (shownAt > 0) stream.write('\r\u001b[K');
    },
  };
}
