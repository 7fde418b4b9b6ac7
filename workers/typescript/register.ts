import { register } from 'node:module';

/**
 * Lets this thread import TypeScript; imported for that alone, as `packhost/typescript`. Where Node strips types
 * by itself there is nothing to do.
 */
const { typescript } = process.features as { typescript?: unknown };
if (!typescript) register('./hooks.js', import.meta.url);
