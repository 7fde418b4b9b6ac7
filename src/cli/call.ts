import { randomBytes } from 'node:crypto';
import { type CheckAnswer, type ErrorMessage, PackClient, PackServiceError, type ToolAnswer } from '../client/index.js';
import { BootError, type PackService, startPackService } from '../index.js';
import { tokenName } from '../packs/environment.js';
import { type CallArguments, callParser, readCallArguments, UnusableArguments } from './call-arguments.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { takeToken } from './token.js';

/** `packhost call`: one call, its output alone on stdout, its exit code by kind of fault. */
export async function call(args: readonly string[]): Promise<void> {
  const { token } = takeToken();
  try {
    const wanted = await readCallArguments(args, process.env);
    const answer = wanted.service.kind === 'pack' ? await ofOwnService(wanted, wanted.service.folder) : await ofRunningService(wanted, wanted.service.url, token);
    print(answer);
    process.exitCode = exitCodeOf(answer);
  } catch (error) {
    process.exitCode = error instanceof UnusableArguments ? exitCodes.unusable.code : exitCodes.service.code;
    if (error instanceof UnusableArguments || error instanceof PackServiceError || isSystemError(error)) complain(error.message);
    else if (error instanceof BootError) for (const problem of error.problems) complain(problem);
    else throw error;
  }
}

/** What `packhost call --help` prints. */
export async function callHelp(): Promise<string> {
  return callParser([]).getHelp();
}

async function ofRunningService(wanted: CallArguments, url: string, token: string | undefined): Promise<ToolAnswer | CheckAnswer> {
  if (token === undefined || token.trim() === '') throw new UnusableArguments(`${tokenName}: the service's token is required.`);
  return send(wanted, new PackClient({ url, token: token.trim() }));
}

async function ofOwnService(wanted: CallArguments, folder: string): Promise<ToolAnswer | CheckAnswer> {
  const token = randomBytes(24).toString('base64url');
  const service = await startPackService({
    token,
    index: folder,
    host: '127.0.0.1',
    port: 0,
    minThreads: 1,
    env: process.env,
    logLevel: 'warn',
    logFormat: process.stderr.isTTY ? 'pretty' : 'json',
  });
  try {
    return await send(wanted, new PackClient({ url: service.url, token }));
  } finally {
    await end(service);
  }
}

async function send({ target, timeoutMs }: CallArguments, client: PackClient): Promise<ToolAnswer | CheckAnswer> {
  try {
    return await (target.kind === 'tool' ? client.invoke(target.tool, target.input, target.ctx, { timeoutMs }) : client.check(target.id, target.config, target.trace, { timeoutMs }));
  } finally {
    client.close();
  }
}

/** A thread that native code holds would keep the process alive for as long: it ends by a kill, once the answer is printed. */
async function end(service: PackService): Promise<void> {
  const { stuckThreads } = await service.close();
  if (stuckThreads > 0) setImmediate(() => process.kill(process.pid, 'SIGKILL'));
}

function print(answer: ToolAnswer | CheckAnswer): void {
  switch (answer.kind) {
    case 'result':
      return printJson(answer.output);
    case 'check-result':
      return printJson(answer.result);
    case 'pause':
      return complain(`The tool waits for another system${answer.name === undefined ? '' : `: ${answer.name}`}.`);
    case 'error':
      return explain(answer);
  }
}

/** For people as for pipes, with line breaks only where somebody reads it. */
function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, undefined, process.stdout.isTTY ? 2 : undefined)}\n`);
}

function explain({ code, message, issues = [], cause }: ErrorMessage): void {
  complain(`${code}: ${message}`);
  for (const issue of issues) process.stderr.write(`  ${issue.instancePath || '/'} ${issue.message}\n`);
  if (cause?.stack !== undefined) process.stderr.write(`${cause.stack}\n`);
}

function complain(text: string): void {
  for (const line of text.split('\n')) process.stderr.write(`packhost call: ${line}\n`);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
