/**
 * Serves this pack on this machine and prints calls to paste into a shell:
 * `npm start`, or `node examples/serve.mjs 8080` for a port of your choice.
 */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { startPackService } from 'packhost';

const port = Number(process.argv[2] ?? process.env.PORT ?? 0);
const token = randomBytes(24).toString('base64url');

const service = await startPackService({
  index: fileURLToPath(new URL('index.json', import.meta.url)),
  host: '127.0.0.1',
  port,
  token,
  env: process.env,
  logFormat: process.stderr.isTTY ? 'pretty' : 'json',
});

// npm passes a Ctrl-C on that the terminal has sent here already; the second one changes nothing.
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    console.log('Stopping: calls in flight end first.');
    await service.close();
    console.log('Stopped.');
  });
}

const ids = { tenantId: 'you', runId: 'run-1' };
const csvSummary = {
  v: 2,
  kind: 'invoke',
  tool: { id: 'example.csv-summary' },
  input: { csv: 'city,visitors\nParis,120\nRome,80\nOslo,\n' },
  ctx: ids,
};
const noPersonalData = {
  v: 2,
  kind: 'check-invoke',
  check: { id: 'example.no-personal-data' },
  config: {},
  trace: { ...ids, output: 'Write to ann@example.com.' },
};

console.log(`The example pack is served at ${service.url}

A tool that summarises a CSV text:
${curl(csvSummary)}

A guardrail check that judges an answer:
${curl(noPersonalData)}

Ctrl-C stops it.
`);

/** @param {object} message Without an apostrophe, which would end the shell's quotes. */
function curl(message) {
  return `curl -s ${service.url}/v1/invoke -H 'content-type: application/json' -H 'kindgi-pack-token: ${token}' -d '${JSON.stringify(message)}'`;
}
