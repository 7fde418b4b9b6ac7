import type { Scenario } from '../scenario.js';
import { agentMemory } from './agent-memory.js';
import { check } from './check.js';
import { cpuBound } from './cpu-bound.js';
import { interference } from './interference.js';
import { ioBound } from './io-bound.js';
import { isolationPrice } from './isolation-price.js';
import { kill } from './kill.js';
import { latency } from './latency.js';
import { memory } from './memory.js';
import { packSize } from './pack-size.js';
import { payload } from './payload.js';
import { startup } from './startup.js';
import { throughput } from './throughput.js';

/** Every scenario, in the order they run and a reader asks. */
export const scenarios: readonly Scenario[] = [startup, throughput, latency, payload, cpuBound, ioBound, interference, isolationPrice, packSize, kill, memory, check, agentMemory];
