import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** Text out, no faster than it is taken. */
export interface Writer {
  write(text: string): Promise<void>;
  /** All is written; nothing follows. */
  end(): Promise<void>;
  /** What was written is not to be kept. */
  discard(): Promise<void>;
}

/** Writes to a stream of the process, which stays open. */
export function streamWriter(stream: Writable): Writer {
  return {
    write: (text) => writeTo(stream, text),
    end: async () => {},
    discard: async () => {},
  };
}

/** Writes to a file that takes its name when it is complete; rejects with the system's error when there can be none. */
export async function fileWriter(file: string): Promise<Writer> {
  const partial = `${file}.${process.pid}.partial`;
  const stream = createWriteStream(partial);
  await once(stream, 'open');
  const closed = finished(stream);
  // Whoever writes next is told.
  closed.catch(() => {});
  return {
    write: (text) => writeTo(stream, text),
    async end() {
      stream.end();
      await closed;
      await rename(partial, file);
    },
    async discard() {
      stream.destroy();
      await closed.catch(() => {});
      await rm(partial, { force: true });
    },
  };
}

function writeTo(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const taken = stream.write(text, (error) => (error ? reject(error) : resolve()));
    if (taken) resolve();
  });
}
