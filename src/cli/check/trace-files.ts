import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { RunTrace } from '../../guardrails/index.js';
import { type Piece, splitArray, splitLines } from './split-traces.js';

/** Where a trace was found: the file as it was given, and the line it starts on, from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** What stands at a place: a trace, or what is wrong there. */
export type FoundTrace = Place & ({ readonly kind: 'trace'; readonly trace: RunTrace } | { readonly kind: 'unreadable'; readonly problem: string });

/** One file of traces and its size in bytes. */
export interface TraceFile {
  readonly file: string;
  readonly size: number;
}

/** Of a folder these are the files of traces. */
const extensions = ['.json', '.jsonl', '.ndjson'];
const chunkBytes = 256 * 1024;
// A byte order mark goes with the decoding.
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The files that are meant, those of a folder in order of their names; with a problem for each path that leads to none. */
export async function findTraceFiles(paths: readonly string[]): Promise<{ readonly files: readonly TraceFile[]; readonly problems: readonly string[] }> {
  const files: TraceFile[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    try {
      const found = await stat(path);
      if (!found.isDirectory()) files.push({ file: path, size: found.size });
      else {
        const within = await filesWithin(path);
        if (within.length === 0) problems.push(`--trace: ${path} holds no file of traces (${extensions.join(', ')})`);
        files.push(...within);
      }
    } catch (error) {
      problems.push(`--trace: ${path} cannot be read: ${messageOf(error)}`);
    }
  }
  return { files, problems };
}

async function filesWithin(folder: string): Promise<TraceFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => !entry.isDirectory() && extensions.includes(extname(entry.name))).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.sort().map(async (file) => ({ file, size: (await stat(file)).size })));
}

/** The traces of the files one after the other, `.json` as one trace or an array of them, anything else as JSON Lines. `onRead` hears how many bytes have been read. */
export async function* readTraces(files: readonly TraceFile[], onRead: (bytes: number) => void): AsyncGenerator<FoundTrace> {
  let read = 0;
  for (const { file } of files) {
    async function* chunks(): AsyncGenerator<Buffer> {
      for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
        onRead((read += chunk.length));
        yield chunk;
      }
    }
    try {
      for await (const piece of extname(file) === '.json' ? splitArray(chunks()) : splitLines(chunks())) {
        const found = traceOf(piece);
        if (found !== undefined) yield { file, line: piece.line, ...found };
      }
    } catch (error) {
      yield { file, line: 1, kind: 'unreadable', problem: messageOf(error) };
    }
  }
}

function traceOf(piece: Piece): { readonly kind: 'trace'; readonly trace: RunTrace } | { readonly kind: 'unreadable'; readonly problem: string } | undefined {
  if ('problem' in piece) return { kind: 'unreadable', problem: piece.problem };
  try {
    const text = decoder.decode(piece.bytes.length === 1 ? piece.bytes[0] : Buffer.concat(piece.bytes));
    if (text.trim() === '') return undefined;
    const trace: unknown = JSON.parse(text);
    if (typeof trace !== 'object' || trace === null || Array.isArray(trace)) return { kind: 'unreadable', problem: 'a trace must be a JSON object' };
    return { kind: 'trace', trace: trace as RunTrace };
  } catch (error) {
    return { kind: 'unreadable', problem: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
