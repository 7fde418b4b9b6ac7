import { type MemoryCommand, selectionOf } from './command.js';
import { print, printJson, table } from './output.js';

export const statsCommand: MemoryCommand = {
  summary: 'count what each tenant has',
  usage: 'packhost memory stats URL [--tenant T] [--json]',
  help: 'Counts runs, log entries, facts, their versions, and the bytes of their contents.',
  options: { tenant: { type: 'string' }, json: { type: 'boolean' } },
  operands: 0,
  async run({ memory, flags }) {
    const stats = await memory.stats(selectionOf(flags));
    if (flags['json'] === true) printJson(stats);
    else {
      const rows = stats.tenants.map(({ tenantId, runs, entries, facts, versions, factBytes }) => [tenantId, runs, entries, facts, versions, factBytes]);
      print(`${table(['tenant', 'runs', 'entries', 'facts', 'versions', 'bytes of facts'], rows)}\n${stats.engine}, ${stats.databaseBytes.toLocaleString('en')} bytes\n`);
    }
    return 0;
  },
};
