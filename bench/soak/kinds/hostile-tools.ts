import { limitsAreEnforced, strictIsEnforced } from '../flags.js';
import type { Outcome } from '../outcomes.js';
import type { Draw } from '../random.js';
import { changes } from '../tools/change.js';
import { faults } from '../tools/late-fault.js';
import { outputs } from '../tools/output.js';
import { patches } from '../tools/patch.js';
import { thrown } from '../tools/throw.js';
import { type Expectation, type Kind, ok, toTool } from './kind.js';

const namesOf = (table: object): readonly [string, ...string[]] => Object.keys(table) as [string, ...string[]];

const ends: Expectation = { outcomes: ['deadline-exceeded'] };
const throws: Expectation = { outcomes: ['handler-throw'] };

/** A deadline that a tool is meant to pass. */
const short = (draw: Draw): { deadlineMs: number } => ({ deadlineMs: draw.whole(150, 400) });

/** Where limits hold, the deadline is far: a machine that is busy with something else takes its time to reach a limit. */
const beyondLimit = (draw: Draw): { deadlineMs: number } => (limitsAreEnforced ? { deadlineMs: 20_000 } : short(draw));

function breaksLimit(limit: 'memMB' | 'cpuMs'): Expectation {
  const outcomes: Outcome[] = limitsAreEnforced ? ['handler-throw'] : ['handler-throw', 'deadline-exceeded'];
  return { outcomes, cause: { name: 'ResourceLimitExceeded', limit } };
}

/** Kinds of calls whose tool misbehaves. */
export const hostileTools: readonly Kind[] = [
  { name: 'endless loop', make: (draw) => [toTool('soak.loop', {}, ends, short(draw))] },
  { name: 'slow pattern', make: (draw) => [toTool('soak.pattern', {}, ends, short(draw))] },
  { name: 'Atomics.wait', make: (draw) => [toTool('soak.atomics-wait', {}, ends, short(draw))] },
  { name: 'deaf', make: (draw) => [toTool('soak.deaf', { ms: 5_000 }, ends, short(draw))] },
  // Where a busy machine holds the service up, the answer and the deadline come to its notice together.
  { name: 'deaf within grace', make: (draw) => [toTool('soak.deaf', { ms: 500 }, { outcomes: ['deadline-exceeded', 'ok'] }, short(draw))] },
  { name: 'exit', make: (draw) => [toTool('soak.exit', { code: draw.oneOf([0, 1, 7]) }, { ...throws, cause: { name: 'WorkerExited' } })] },
  { name: 'process change', make: (draw) => [toTool('soak.change', { what: draw.oneOf(namesOf(changes)) }, throws)] },
  { name: 'heap filler', make: (draw) => [toTool('soak.fill-heap', {}, breaksLimit('memMB'), beyondLimit(draw))] },
  { name: 'buffer filler', make: (draw) => [toTool('soak.fill-buffers', {}, breaksLimit('memMB'), beyondLimit(draw))] },
  { name: 'cpu over limit', make: (draw) => [toTool('soak.over-cpu', {}, breaksLimit('cpuMs'), beyondLimit(draw))] },
  { name: 'throw', make: (draw) => [toTool('soak.throw', { what: draw.oneOf(namesOf(thrown)) }, throws)] },
  { name: 'throw own nonce', make: () => [toTool('soak.throw', { what: 'an error that names its call' }, { ...throws, cause: { name: 'Error', carriesNonce: true } })] },
  { name: 'late fault', make: (draw) => [toTool('soak.late-fault', { how: draw.oneOf(namesOf(faults)), ms: draw.whole(0, 60) }, ok)] },
  { name: 'bad output', make: (draw) => [toTool('soak.output', { what: draw.oneOf(namesOf(outputs)) }, { outcomes: ['output-validation-failed'] })] },
  { name: 'flood', make: (draw) => [toTool('soak.flood', { stream: draw.oneOf(['stdout', 'stderr']), mebibytes: draw.whole(1, 4) }, ok)] },
  // What becomes of the patching call itself is its own affair; that of no other call may change.
  { name: 'patch', make: (draw) => [toTool('soak.patch', { what: draw.oneOf(namesOf(patches)) }, { outcomes: ['ok', 'handler-throw', 'output-validation-failed'] })] },
  { name: 'strict', make: () => Array.from({ length: 3 }, () => toTool('soak.strict', {}, strictIsEnforced ? { ...ok, output: { before: 0 } } : ok)) },
  { name: 'child left running', make: (draw) => [toTool('soak.leave-child', { seconds: draw.whole(1, 5), detached: draw.oneOf([true, false]) }, ok)] },
];

/** The kind whose calls may fail after their answer; nobody else's may. */
export const leavesFaults = 'late fault';
