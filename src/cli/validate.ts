import { hasErrors } from '../indexer/index-pack.js';
import { validatePack } from '../service/validate-pack.js';
import { readArguments, sharedOptions } from './pack-command.js';
import { countProblems, problemTable } from './problem-table.js';

const command = {
  name: 'validate',
  usage: '[DIR | index.json] [flags]\n\nFinds everything that indexing a pack or starting its service would refuse, without serving. Exit 0 when there is nothing, else 1.',
  options: { ...sharedOptions, json: { type: 'boolean', default: false, describe: 'Print one JSON object instead of a table' } },
} as const;

/** `packhost validate`: exit 0 when the pack would be served, else 1. */
export async function validate(args: readonly string[]): Promise<void> {
  const given = readArguments(command, args);
  if (given === undefined) return;
  const { path, flags } = given;
  const { strict, json, 'bundle-map': bundleMap, 'env-filter': envFilter, 'load-timeout': loadTimeoutMs } = flags;
  const { index, problems } = await validatePack(path, { environment: process.env, envFilter, loadTimeoutMs, bundleMap });
  const ok = !hasErrors(problems) && !(strict && problems.length > 0);
  if (!ok) process.exitCode = 1;
  if (json) process.stdout.write(`${JSON.stringify({ ok, packId: index?.packId, packVersion: index?.packVersion, problems }, null, 2)}\n`);
  else process.stdout.write(`${problems.length === 0 ? '' : `${problemTable(problems, process.stdout.isTTY)}\n`}${verdict(ok, index?.packId, countProblems(problems))}\n`);
}

function verdict(ok: boolean, packId: string | undefined, count: string): string {
  const found = count === '' ? '' : `: ${count}`;
  return ok ? `${packId} can be served${found}` : `${packId ?? 'the pack'} cannot be served${found}`;
}
