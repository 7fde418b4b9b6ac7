import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import yargs from 'yargs';
import { exitCodes } from './exit-codes.js';

/** What is to be called, and where. */
export interface CallArguments {
  readonly service: { readonly kind: 'url'; readonly url: string } | { readonly kind: 'pack'; readonly folder: string };
  readonly target:
    | { readonly kind: 'tool'; readonly tool: { readonly id: string; readonly version?: string }; readonly input: unknown; readonly ctx: { readonly tenantId: string; readonly runId: string; readonly secrets: Readonly<Record<string, string>> } }
    | { readonly kind: 'check'; readonly id: string; readonly config: Readonly<Record<string, unknown>>; readonly trace: Readonly<Record<string, unknown>> };
  readonly timeoutMs: number;
}

/** The arguments cannot be used; the message says why, one line a problem. */
export class UnusableArguments extends Error {
  override readonly name = 'UnusableArguments';
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads `packhost call`'s arguments, and the files they name. Throws UnusableArguments. */
export async function readCallArguments(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<CallArguments> {
  const problems: string[] = [];
  const parsed = callParser(args)
    .fail((message: string | undefined, error: Error | undefined) => void problems.push(message ?? String(error)))
    .parseSync();
  for (const [name, value] of Object.entries(parsed)) if (Array.isArray(value) && name !== '_' && name !== 'secret') problems.push(`--${name} is given more than once.`);
  const [id, dash, ...more] = parsed._.map(String);
  const { check, url, pack } = parsed;
  const timeoutMs = Number(parsed.timeout);
  if (check === undefined && id === undefined) problems.push('Name a tool, or a check with --check.');
  if (check !== undefined && id !== undefined) problems.push(`Call the tool "${id}" or --check ${check}, not both.`);
  if (more.length > 0 || (dash !== undefined && dash !== '-')) problems.push(`"${dash === '-' ? more[0] : dash}" is one word too many.`);
  if (url !== undefined && pack !== undefined) problems.push('Give --url or --pack, not both.');
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) problems.push(`--url: "${url}" is no http or https URL.`);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1) problems.push(`--timeout: "${parsed.timeout}" is no positive whole number of milliseconds.`);
  if ([parsed.input, parsed['input-file'], dash].filter((given) => given !== undefined).length > 1) problems.push('Give the input once: --input, --input-file or -.');

  const { tenant, run = `call-${randomUUID()}` } = parsed;
  const secrets = secretsOf(parsed.secret, environment, problems);
  const readJson = async (from: string, given: () => Promise<string>): Promise<unknown> => {
    try {
      return JSON.parse(await given()) as unknown;
    } catch (error) {
      problems.push(`${from}: ${(error as Error).message}`);
      return undefined;
    }
  };
  const jsonFile = (from: string, path: string): Promise<unknown> => readJson(from, () => (path === '-' ? text(process.stdin) : readFile(path, 'utf8')));
  const object = async (from: string, value: Promise<unknown>): Promise<Fields> => {
    const before = problems.length;
    const found = await value;
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Fields;
    if (problems.length === before) problems.push(`${from}: must be a JSON object.`);
    return {};
  };

  const target: CallArguments['target'] =
    check === undefined
      ? {
          kind: 'tool',
          tool: { id: id ?? '', ...(parsed['tool-version'] === undefined ? {} : { version: parsed['tool-version'] }) },
          input: dash === '-' ? await jsonFile('-', '-') : parsed['input-file'] !== undefined ? await jsonFile('--input-file', parsed['input-file']) : await readJson('--input', async () => parsed.input ?? '{}'),
          ctx: { tenantId: tenant, runId: run, secrets },
        }
      : {
          kind: 'check',
          id: check,
          config: await object('--config', readJson('--config', async () => parsed.config ?? '{}')),
          trace: { tenantId: tenant, runId: run, ...(parsed.trace === undefined ? {} : await object('--trace', jsonFile('--trace', parsed.trace))) },
        };
  if (problems.length > 0) throw new UnusableArguments(problems.join('\n'));
  return { service: pack === undefined ? { kind: 'url', url: url ?? 'http://127.0.0.1:8080' } : { kind: 'pack', folder: pack }, target, timeoutMs };
}

function secretsOf(names: readonly string[], environment: NodeJS.ProcessEnv, problems: string[]): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value === undefined || value === '') problems.push(`--secret: the environment has no ${name}.`);
    else secrets[name] = value;
  }
  return secrets;
}

/** The parser, whose `getHelp` is what `packhost call --help` prints. */
export function callParser(args: readonly string[]) {
  return yargs([...args])
    .scriptName('packhost')
    .usage('$0 call TOOL [--input JSON | --input-file FILE | -]\n$0 call --check ID [--config JSON] [--trace FILE]\n\nCalls a tool, or runs a guardrail check, and prints its output alone on stdout. The service is the one at --url, with the\ntoken in KINDGI_PACK_SERVICE_TOKEN; or with --pack one of its own, for this call.')
    .parserConfiguration({ 'camel-case-expansion': false, 'dot-notation': false, 'boolean-negation': false, 'parse-numbers': false, 'parse-positional-numbers': false })
    .option('url', { type: 'string', requiresArg: true, describe: 'Where the service listens', defaultDescription: 'http://127.0.0.1:8080' })
    .option('pack', { type: 'string', requiresArg: true, describe: "A pack's folder: it is served for this call" })
    .option('input', { type: 'string', requiresArg: true, describe: "The tool's input as JSON", defaultDescription: '{}' })
    .option('input-file', { type: 'string', requiresArg: true, describe: 'A file with the input; - is stdin' })
    .option('tool-version', { type: 'string', requiresArg: true, describe: 'The version, where the pack has several' })
    .option('check', { type: 'string', requiresArg: true, describe: 'The id of a check to run instead of a tool' })
    .option('config', { type: 'string', requiresArg: true, describe: "The check's config as JSON", defaultDescription: '{}' })
    .option('trace', { type: 'string', requiresArg: true, describe: 'A file with the trace to judge, as JSON; - is stdin' })
    .option('timeout', { type: 'string', requiresArg: true, describe: 'How long the call may take, in milliseconds', default: '120000' })
    .option('tenant', { type: 'string', requiresArg: true, describe: 'The tenant the call is for', default: 'local' })
    .option('run', { type: 'string', requiresArg: true, describe: 'The run it belongs to', defaultDescription: 'one of its own' })
    .option('secret', { type: 'string', array: true, nargs: 1, describe: 'A variable of the environment to give the tool as a secret; may be repeated', default: [] as string[] })
    .epilogue(`Exit codes:\n${Object.values(exitCodes).map(({ code, when }) => `  ${code}  ${when}`).join('\n')}`)
    .strictOptions()
    .help(false)
    .version(false)
    .exitProcess(false)
    .wrap(Math.min(120, process.stdout.columns ?? 100));
}
