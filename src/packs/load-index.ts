import { readFile } from 'node:fs/promises';
import type { ErrorObject } from 'ajv';
import { ownSchemaErrors } from '../schemas/own-schemas.js';
import { BootError } from './boot-error.js';
import type { IndexFile } from './index-file.js';

/** Reads and checks an index; throws BootError with every problem, each naming its entry. */
export async function loadIndex(path: string): Promise<IndexFile> {
  return checkIndex(await readJson(path), path);
}

/** Checks what is meant to be an index; `from` says where it came from. Throws BootError as `loadIndex` does. */
export function checkIndex(value: unknown, from: string): IndexFile {
  if (!isRecord(value)) throw new BootError([`Cannot read the pack index: ${from} must hold a JSON object.`]);
  if (value['v'] !== 1) {
    throw new BootError([`Cannot read the pack index: ${from} has envelope \`v\`: ${JSON.stringify(value['v']) ?? 'none'}; this packhost reads v 1.`]);
  }
  const problems = [...shapeProblems(value), ...duplicates(value)];
  if (problems.length > 0) throw new BootError(problems);
  return value as unknown as IndexFile;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new BootError([`Cannot read the pack index: ${path}: ${error instanceof Error ? error.message : String(error)}`], { cause: error });
  }
}

function shapeProblems(index: Record<string, unknown>): string[] {
  return ownSchemaErrors('index', index).filter(({ keyword }) => keyword !== 'if').map((issue) => `Index: ${place(index, issue)} ${issue.message ?? 'is invalid'}`);
}

/** `tool "acme.echo" modulePath` rather than `/tools/3/modulePath`. */
function place(index: Record<string, unknown>, issue: ErrorObject): string {
  const [list = '', position, ...rest] = issue.instancePath.split('/').slice(1);
  if ((list !== 'tools' && list !== 'guardrails') || position === undefined) return list === '' ? 'the top level' : [list, position, ...rest].filter(Boolean).join('.');
  const entries = index[list];
  const entry: unknown = Array.isArray(entries) ? entries[Number(position)] : undefined;
  const id = isRecord(entry) && typeof entry['id'] === 'string' ? `"${entry['id']}"` : `number ${Number(position) + 1}`;
  return [`${list === 'tools' ? 'tool' : 'guardrail'} ${id}`, ...rest].join(' ');
}

function duplicates(index: Record<string, unknown>): string[] {
  const { tools } = index;
  if (!Array.isArray(tools)) return [];
  const seen = new Set<string>();
  const problems: string[] = [];
  for (const tool of tools as unknown[]) {
    if (!isRecord(tool)) continue;
    const { id, version } = tool;
    const name = JSON.stringify([id, version]);
    if (seen.has(name)) problems.push(`Index: tool ${JSON.stringify(id)} stands there twice in ${version === undefined ? 'no version' : `version ${JSON.stringify(version)}`}`);
    seen.add(name);
  }
  return problems;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
