import { Agent } from 'node:http';
import { oneCall } from '../load/one-call.js';
import { Recording, type Round } from '../measurement.js';
import { type Pack, toolId, withPack } from '../packs/write-pack.js';
import { rotated, type Scenario } from '../scenario.js';
import { floorName } from '../targets/peers.js';
import { type Target, withOne } from '../targets/target.js';

/** One start, from the spawn of the process to its tenth answer on one connection. */
function start(target: Target, pack: Pack): Promise<Round> {
  return withOne(target, pack, 'echo', async ({ server, call }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const answeredMs: number[] = [];
    try {
      for (let turn = 0; turn < 10; turn++) {
        const { status } = await oneCall(server.port, call(toolId('echo'), { text: 'hello' }), agent);
        if (status !== 200) throw new Error(`${target.name} answered ${status}`);
        answeredMs.push(performance.now() - server.startedAt);
      }
    } finally {
      agent.destroy();
    }
    return { listeningMs: server.listeningMs, firstAnswerMs: answeredMs.at(0) ?? NaN, tenthAnswerMs: answeredMs.at(-1) ?? NaN };
  });
}

export const startup: Scenario = {
  name: 'startup',
  title: 'Process start to listening, to the first answer, to the tenth',
  metrics: [
    { name: 'listeningMs', label: 'listening ms', digits: 0, ratio: true },
    { name: 'firstAnswerMs', label: 'first answer ms', digits: 0 },
    { name: 'tenthAnswerMs', label: 'tenth answer ms', digits: 0 },
  ],
  floor: floorName,
  flags: [],
  notes: ['packhost listens once every module of the pack has loaded in its worker threads; the peers host one function.'],
  async run({ options, pace, packhost, peers, progress }) {
    const recording = new Recording();
    const rounds = options.quick ? 1 : 2 * pace.rounds;
    await withPack([{ handler: 'echo' }], (small) => withPack([{ handler: 'echo' }], async (large) => {
      const runs = [
        { target: packhost(), pack: small, tools: 10 },
        { target: packhost(), pack: large, tools: 1000 },
        ...peers([floorName, 'fastify', 'functions-framework']).map((target) => ({ target, pack: small, tools: 1 })),
      ];
      for (let round = 0; round < rounds; round++) {
        progress(`round ${round + 1} of ${rounds}`);
        for (const { target, pack, tools } of rotated(runs, round)) recording.add(target.name, { tools }, await start(target, pack));
      }
    }, 1000), 10);
    return recording.measurements();
  },
};
