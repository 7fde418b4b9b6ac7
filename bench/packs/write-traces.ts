import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const sentence = 'The river rises in the mountains and reaches the sea after nine hundred kilometres [1]. ';

/** The trace of one run, so many bytes of JSON, of which an answer with citations is most. One in five hundred names an email address. */
function trace(run: number, bytes: number): string {
  const fields = {
    runId: `run-${run}`, tenantId: 'tenant-1', agentId: 'agent-1', mode: 'runtime', toolResults: [], modelCalls: [],
    toolCalls: [{ toolId: 'bench.search', toolName: 'search', arguments: { query: 'river' }, at: '2026-01-01T00:00:00.000Z' }],
  };
  const end = run % 500 === 0 ? 'Ask ann@example.com.' : '';
  const room = bytes - JSON.stringify({ ...fields, output: end }).length;
  return JSON.stringify({ ...fields, output: sentence.repeat(Math.ceil(room / sentence.length)).slice(0, room) + end });
}

/** Writes so many traces as JSON Lines to a temporary file for as long as `work` takes. */
export async function withTraces<T>(count: number, bytes: number, work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'packhost-bench-traces-'));
  try {
    const file = join(folder, 'traces.jsonl');
    const stream = createWriteStream(file);
    for (let run = 0; run < count; run++) if (!stream.write(`${trace(run, bytes)}\n`)) await once(stream, 'drain');
    stream.end();
    await once(stream, 'close');
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
