import { causeOf } from '../../src/protocol/thrown.js';
import type { FileProblem } from '../../src/threads/link/definitions.js';

type Rest = Pick<FileProblem, 'hint'> & { readonly severity?: FileProblem['severity'] };

/** Notes what is wrong with one definition. */
export class Report {
  readonly problems: FileProblem[] = [];
  readonly #entry: string | undefined;

  constructor(entry?: string) {
    this.#entry = entry;
  }

  add(field: string, rule: string, message: string, { severity = 'error', ...hint }: Rest = {}): void {
    this.problems.push({ severity, ...(this.#entry === undefined ? {} : { entry: this.#entry }), field, rule, message, ...hint });
  }
}

/** What was thrown, with its causes, in one line. */
export function reasonOf(thrown: unknown): string {
  const { name, message, code, cause } = causeOf(thrown);
  // A result's error is often a plain object: its code says more than "object".
  const title = name === 'object' || name === 'string' || name === 'Error' ? (typeof code === 'string' ? code : '') : name;
  const own = [title, message].filter(Boolean).join(': ');
  return cause === undefined ? own : `${own} (cause: ${[cause.name, cause.message].filter(Boolean).join(': ')})`;
}
