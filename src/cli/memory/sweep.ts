import { type MemoryCommand, selectionOf } from './command.js';
import { print, printJson, table } from './output.js';

export const sweepCommand: MemoryCommand = {
  summary: 'delete the facts whose time has passed',
  usage: 'packhost memory sweep URL [--tenant T] [--dry-run] [--json]',
  help: 'Spares what is on legal hold. Without --tenant it also deletes blobs that no fact has had for an hour. --dry-run only tells.',
  options: { tenant: { type: 'string' }, 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },
  operands: 0,
  async run({ memory, flags }) {
    const dryRun = flags['dry-run'] === true;
    const swept = await memory.facts.sweep(selectionOf(flags), { dryRun });
    if (flags['json'] === true) printJson(swept);
    else {
      const done = dryRun ? 'would delete' : 'deleted';
      const rows = swept.versions.map(({ scope: { tenantId, ...within }, id, version }) => [tenantId, JSON.stringify(within), id, version]);
      print(`${rows.length > 0 ? `${table(['tenant', 'scope', 'fact', 'version'], rows)}\n` : ''}${done} ${swept.versions.length} versions and ${swept.blobs} blobs (${swept.blobBytes.toLocaleString('en')} bytes)\n`);
    }
    return 0;
  },
};
