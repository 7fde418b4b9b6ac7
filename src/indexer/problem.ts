import { BootError } from '../packs/boot-error.js';
import type { FileProblem } from '../threads/link/definitions.js';

/** Something in a pack's sources that stops it, or that deserves a look, and where. */
export interface Problem extends FileProblem {
  /** Relative to the pack's folder; empty for the pack as a whole. */
  readonly file: string;
}

/** A problem in one line. */
export function describeProblem({ file, entry, field, message, hint }: Problem): string {
  const place = [file, entry === undefined ? '' : `"${entry}"`, field].filter(Boolean).join(' ');
  return `${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : ` (${hint})`}`;
}

/** By file, in code-unit order, errors before warnings; else as they were found. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => byCodeUnits(a.file, b.file) || byCodeUnits(a.severity, b.severity));
}

/** An order that no locale changes. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Sources whose index must not be used, with everything that was found in them. */
export class SourcesRefused extends BootError {
  readonly found: readonly Problem[];

  constructor(found: readonly Problem[]) {
    super(found.filter(({ severity }) => severity === 'error').map(describeProblem));
    this.found = found;
  }
}
