import { join } from 'node:path';
import type { Test } from 'tap';
import { linesOf } from './calls-in-flight.js';
import { fixturePack, packhostCommand, type RunningService, type ServeOptions, until } from './running-service.js';
import { temporaryFolder } from './temporary-pack.js';

/** How a service is started whose main thread can be asked for its memory, after a full collection. */
export function reportingMemory(t: Test): { readonly options: Pick<ServeOptions, 'command' | 'env'>; heapUsed(service: RunningService): Promise<number> } {
  const report = join(temporaryFolder(t), 'main-thread');
  const [node, ...main] = packhostCommand;
  return {
    options: { command: [node, '--import', join(fixturePack('reports-its-memory'), 'report-main-thread.mjs'), ...main], env: { MEMORY_REPORT: report } },
    async heapUsed(service) {
      const before = linesOf(report).length;
      service.child.kill('SIGUSR2');
      return (JSON.parse(await until(() => linesOf(report)[before], 'the report of the main thread')) as { heapUsed: number }).heapUsed;
    },
  };
}
