import { readdirSync } from 'node:fs';
import http from 'node:http';
import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall } from '../running-service.js';
import { indexOf, temporaryPack, toolEntry } from '../temporary-pack.js';

const pack = temporaryPack(t, indexOf({ tools: [toolEntry('echo', 'echo.mjs'), toolEntry('wait', 'wait.mjs')] }), {
  'echo.mjs': 'export const handler = async (input) => input;\n',
  'wait.mjs': 'export const handler = ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms, {}));\n',
});

async function callAtOnce(concurrent: number, tool: string, input: object, rounds: number): Promise<number> {
  const service = await serve(t, { pack, args: ['--min-threads', '2', '--max-threads', '24', '--max-concurrency', '64'] });
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrent });
  const before = readdirSync(`/proc/${service.pid}/task`).length;
  await Promise.all(Array.from({ length: concurrent }, async () => {
    for (let round = 0; round < rounds; round++) outputOf(await service.invoke(toolCall(tool, input), { 'kindgi-timeout-ms': '60000' }, { agent }));
  }));
  agent.destroy();
  return readdirSync(`/proc/${service.pid}/task`).length - before;
}

t.test('short calls that use up the processors do not call for thread after thread', async (t) => {
  const added = await callAtOnce(64, 'echo', {}, 200);
  t.ok(added <= 6, `${added} threads were added`);
});

t.test('calls that wait for something else do', async (t) => {
  const added = await callAtOnce(20, 'wait', { ms: 500 }, 8);
  t.ok(added >= 10, `${added} threads were added`);
});
