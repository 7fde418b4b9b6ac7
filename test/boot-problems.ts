import type { Test } from 'tap';
import { type RunningService, type ServeOptions, runToExit } from './running-service.js';

/** Runs a service that must not come up, and answers the problems of its one record of a kind. */
export async function problemsOf(t: Test, kind: 'boot-failed' | 'config-invalid', options: ServeOptions): Promise<string[]> {
  const service = await runToExit(t, options);
  return problemsIn(t, service, kind);
}

/** The problems with which a service ended: exit 1, one record of the kind, never `listening`. */
export function problemsIn(t: Test, service: RunningService, kind: 'boot-failed' | 'config-invalid'): string[] {
  t.strictSame(service.ended, { code: 1, signal: null }, 'exit 1');
  t.equal(service.record('listening'), undefined, 'it never listened');
  const records = service.records.filter((record) => record.kind === kind);
  t.equal(records.length, 1, `one ${kind} record`);
  const problems = records[0]?.['problems'];
  if (!Array.isArray(problems) || problems.length === 0) throw new Error(`no problems in ${JSON.stringify(records)}: ${service.stderr.slice(-5).join(' | ')}`);
  return problems.map(String);
}

/** A problem that names all of the parts; fails the test when there is none. */
export function problemNaming(t: Test, problems: readonly string[], ...parts: readonly string[]): string {
  const found = problems.find((problem) => parts.every((part) => problem.includes(part)));
  t.ok(found, `a problem names ${parts.join(' and ')}`, { problems });
  return found ?? '';
}
