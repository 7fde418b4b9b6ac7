import { register } from 'node:module';
import { nodeStripsTypes } from '../../src/threads/link/type-stripping.js';

/**
 * Lets this thread import TypeScript; imported for that alone, as `packhost/typescript`. Where Node strips types
 * by itself there is nothing to do.
 */
if (!nodeStripsTypes) register('./hooks.js', import.meta.url);
