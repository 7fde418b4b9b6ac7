import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { checkSignedHeads, type Head, type Memory, type Selection, signHeads, type SignedHeads, type Verification } from '../../memory/index.js';
import { BadUsage, type Call, countOf, type MemoryCommand, selectionOf, selectionOptions } from './command.js';
import { print, printJson, Progress, table } from './output.js';

export const verifyCommand: MemoryCommand = {
  summary: 'walk the chains and name the first broken entry of each',
  usage: 'packhost memory verify URL [--tenant T [--run R [--from N] [--to N]]] [--heads FILE [--public-key FILE]] [--write-heads FILE [--sign FILE]] [--json]',
  help: `Exits 1 when a chain is broken, and names tenant, run and sequence of the first broken entry.

  --heads FILE        heads that an earlier --write-heads kept elsewhere; they tell when a tail was cut
  --public-key FILE   the Ed25519 key (PEM) that the heads must be signed with
  --write-heads FILE  keep the heads of the chains, when all of them are whole
  --sign FILE         the Ed25519 private key (PEM) to sign them with`,
  options: {
    ...selectionOptions, from: { type: 'string' }, to: { type: 'string' }, heads: { type: 'string' }, 'public-key': { type: 'string' },
    'write-heads': { type: 'string' }, sign: { type: 'string' }, json: { type: 'boolean' },
  },
  operands: 0,
  async run({ memory, flags }) {
    const selection = selectionOf(flags);
    const [from, to] = [countOf(flags, 'from'), countOf(flags, 'to')];
    const heads = readHeads(flags);
    const { tenants } = await memory.stats(selection);
    const progress = new Progress('entries', tenants.reduce((sum, { entries }) => sum + entries, 0));
    const verification = await memory.log.verify(selection, {
      onProgress: (entries) => progress.show(entries),
      ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }), ...(heads === undefined ? {} : { heads }),
    });
    progress.end();
    if (flags['json'] === true) printJson(verification);
    else print(report(verification));
    if (verification.breaks.length > 0) return 1;
    if (typeof flags['write-heads'] === 'string') await writeHeads(memory, selection, flags['write-heads'], flags['sign']);
    return 0;
  },
};

function report({ chains, entries, breaks }: Verification): string {
  const walked = `${entries.toLocaleString('en')} entries in ${chains.toLocaleString('en')} runs`;
  if (breaks.length === 0) return `whole: ${walked}\n`;
  return `BROKEN: ${breaks.length} of ${walked}\n\n${table(['tenant', 'run', 'first broken entry', 'how'], breaks.map(({ tenantId, runId, sequence, how }) => [tenantId, runId, sequence, how]))}`;
}

/** Heads come signed, or bare when no key is asked for. */
function readHeads(flags: Call['flags']): readonly Head[] | undefined {
  const { heads: file, 'public-key': key } = flags;
  if (typeof file !== 'string') {
    if (key !== undefined) throw new BadUsage('--public-key needs --heads');
    return undefined;
  }
  const kept = JSON.parse(readFileSync(file, 'utf8')) as SignedHeads;
  if (!Array.isArray(kept.heads)) throw new BadUsage(`--heads: ${file} holds no heads`);
  return typeof key === 'string' ? checkSignedHeads(kept, createPublicKey(readFileSync(key))) : kept.heads;
}

async function writeHeads(memory: Memory, selection: Selection, file: string, key: unknown): Promise<void> {
  const heads: Head[] = [];
  for await (const head of memory.log.heads(selection)) heads.push(head);
  const kept = typeof key === 'string' ? signHeads(heads, createPrivateKey(readFileSync(key))) : { v: 1, heads };
  // Renamed into place: heads that were kept before are lost only to whole new ones.
  writeFileSync(`${file}.part`, `${JSON.stringify(kept)}\n`);
  renameSync(`${file}.part`, file);
}
