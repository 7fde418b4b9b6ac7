/** The handler a peer runs: the very module packhost loads, named by the environment. */
import { pathToFileURL } from 'node:url';

const tool = await import(pathToFileURL(process.env.BENCH_HANDLER).href);

export const { input, output } = tool;

/** The answer to an `invoke` message, without a check of the input. */
export const answer = async (message) => ({ v: 2, kind: 'result', output: await tool.handler(message.input, message.ctx) });
