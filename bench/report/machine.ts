import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/** What the figures were taken on. */
export interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memoryMiB: number;
  readonly kernel: string;
  readonly system: string;
}

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryMiB: Math.round(totalmem() / 1024 ** 2),
    kernel: `${type()} ${release()}`,
    system: systemName(),
  };
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="?(.*?)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
