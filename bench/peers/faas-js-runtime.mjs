/** A function for `faas-js-runtime` (Knative), started by the runtime's own command. */
import { answer } from './handler.mjs';

export const handle = async (_context, message) => answer(message);
