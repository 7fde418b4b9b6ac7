import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';

type Entry = Record<string, unknown>;

/** A tool's index entry; what is not said is open. */
export const toolEntry = (id: string, modulePath: string, more: Entry = {}): Entry => ({
  id, version: '1.0.0', modulePath, input: { type: 'object' }, output: { type: 'object' }, ...more,
});

/** A guardrail's index entry. */
export const guardrailEntry = (id: string, checkModulePath: string, more: Entry = {}): Entry => ({
  id, kind: 'zero-llm', action: { 'on-violation': 'halt' }, severity: 'error', checkModulePath, ...more,
});

/** An index that holds the entries; `more` overrides the top level. */
export const indexOf = (entries: { tools?: readonly unknown[]; guardrails?: readonly unknown[] } & Entry): Entry => ({
  v: 1, packId: 'temporary', packVersion: '0.0.1', artifactVersion: '20261129.1', publishedAt: '2026-11-29T00:00:00.000Z',
  tools: [], guardrails: [], agents: [], flows: [], ...entries,
});

/** A module that answers. */
export const answeringModule = `export const handler = () => ({ answered: true });\n`;

/** A module whose check passes. */
export const passingModule = `export const evaluate = () => ({ passed: true });\n`;

const folders = new WeakMap<Test, string>();

/** A folder of the test's own, gone with it; every call answers another one. */
export function temporaryFolder(t: Test): string {
  const parent = folders.get(t) ?? t.testdir({});
  folders.set(t, parent);
  return mkdtempSync(join(parent, 'f-'));
}

/** Writes a pack into a folder of its own and answers the folder. An index that is text is written as it stands. */
export function temporaryPack(t: Test, index: Entry | string, modules: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'index.json'), typeof index === 'string' ? index : JSON.stringify(index, null, 2));
  for (const [path, source] of Object.entries(modules)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), source);
  }
  return folder;
}
