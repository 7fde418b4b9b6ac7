import type { StandardDescriptor } from '../../src/logging/descriptor.js';
import { createLogger } from '../../src/logging/logger.js';
import { Output } from '../../src/logging/output.js';
import { recordsLost, writeRecord } from '../../src/logging/record-forms.js';
import type { ThreadLog } from '../../src/threads/link/messages.js';

/** A handler that prints faster than its reader takes it waits for it; for one that takes nothing at all, so long. */
const patienceMs = 250;

const outputs = new Map<StandardDescriptor, Output>();

/** This thread's output on a descriptor. There is one: what pack code prints and logs keeps its order, and shares a buffer. */
export function threadOutput(descriptor: StandardDescriptor, log: ThreadLog): Output {
  const opened = outputs.get(descriptor);
  if (opened !== undefined) return opened;
  const output = new Output(descriptor, { bufferBytes: log.bufferBytes, patienceMs, onLost: (records) => reportLost(records, log) });
  outputs.set(descriptor, output);
  return output;
}

function reportLost(records: number, log: ThreadLog): void {
  const logger = createLogger({ level: recordsLost.level, format: log.format, subsystem: 'pack' }, threadOutput(2, log));
  writeRecord(logger, recordsLost.name, recordsLost, { records });
}
