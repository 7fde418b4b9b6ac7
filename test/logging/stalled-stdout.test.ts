import t from 'tap';
import { outputOf } from '../answers.js';
import { serve, toolCall, until } from '../running-service.js';

const linesOfFlood = 40;

t.test('a handler that prints while nobody reads stdout is answered; then what was kept comes whole, and the rest counted', async (t) => {
  const service = await serve(t, { pack: 'attacks-its-host', args: ['--max-threads', '1'] });
  service.child.stdout?.pause();
  const calls = 3;
  const flood = toolCall('isolated', { attack: 'stdout flood' });
  for (let call = 0; call < calls; call++) outputOf(await service.invoke(flood));
  t.equal((await service.get('/healthz')).status, 200);
  t.equal(service.record('records-lost'), undefined, 'nothing is counted before the reader is back');

  service.child.stdout?.resume();
  const { records: lost } = await service.recorded('records-lost');
  await until(() => service.stdout.length + Number(lost) === calls * linesOfFlood, 'the lines that were kept');
  t.ok(service.stdout.every((line) => /^x{99999}$/.test(line)), 'each is whole');
  t.equal((await service.stop()).code, 0);
});
