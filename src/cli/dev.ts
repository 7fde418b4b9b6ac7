import { randomBytes } from 'node:crypto';
import type { EventStream } from '../events/event-stream.js';
import { type Problem, SourcesRefused } from '../indexer/problem.js';
import type { Log } from '../logging/log-events.js';
import type { LogFormat } from '../logging/log-levels.js';
import { BootError } from '../packs/boot-error.js';
import { findConfig } from '../packs/locate.js';
import { type PackHost, startService } from '../service/service.js';
import type { Given, SettingName, Settings } from '../service/settings.js';
import { exampleCalls } from './example-calls.js';
import { type Flags, readFlags } from './flags.js';
import { countProblems, problemTable } from './problem-table.js';
import { closeAndExit, failBoot, formatOf, openEvents, restartWhenUnusable, settingsOf } from './run-service.js';
import { takeToken } from './token.js';
import { type FolderWatch, watchFolder } from './watch-folder.js';

const usage = `$0 dev [DIR] [flags]

Serves the pack at DIR, by default this folder, to this machine while it is
written: prints calls to paste, and has changes go live by themselves. A change that
cannot be served is reported; the version before goes on.
The flags are those of serve; by default --host is 127.0.0.1 and --min-threads 1.`;

/** `packhost dev`: runs until a signal, and exits 0; 1 when it cannot be started at all. */
export async function dev(args: readonly string[]): Promise<void> {
  // That of another service: pack code is not to see it.
  takeToken();
  const token = randomBytes(24).toString('base64url');
  const settings = await settingsOf(devFlags(args), token);
  const format = formatOf(settings.logFormat);
  // People get the table in place of this record.
  const { events, log } = openEvents(settings, format, ({ kind }) => format !== 'pretty' || kind !== 'reload-failed');
  let stop = (): void => process.exit(0);
  // SIGHUP as well: the terminal is gone.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop());
  const folder = settings.index;
  const watch = await watchFolder(folder, (path) => isIgnored(path, findConfig(folder) !== undefined));
  const host = await firstGood(settings, events, log, format, watch);
  stop = () => events.inBackground('the stop', closeAndExit(host, log));
  events.inBackground('watching over the service', restartWhenUnusable(host, events, () => stop()));
  process.stdout.write(`\n${host.index.packId} is served at ${host.url}; changes go live by themselves. To call it:\n\n${exampleCalls(host.index, host.url, token).join('\n\n')}\n\n`);
  for (;;) {
    await watch.changed();
    const reload = await host.reload();
    if (reload.kind === 'closed') return;
    if (reload.kind === 'failed') report(reload.error, 'the version before is served');
  }
}

/** What `packhost dev --help` prints. */
export async function devHelp(): Promise<string> {
  return (await import('./serve-help.js')).serveHelp(usage);
}

/** One thread is enough for one caller, and has a change live sooner; more come while calls wait. */
const devDefaults: Partial<Record<SettingName, Given>> = { host: { value: '127.0.0.1', from: '--host' }, minThreads: { value: '1', from: '--min-threads' } };

/** The flags and environment of `serve`, with defaults for one's own machine. */
function devFlags(args: readonly string[]): Flags {
  const { given, problems } = readFlags(args, process.env);
  return {
    problems,
    given(name) {
      const one = given(name);
      // Where a deployed service finds its index is not where somebody works.
      if (name === 'index') return one?.from === 'DIR' || one?.from === '--index' ? one : { value: '.', from: 'DIR' };
      return one ?? devDefaults[name];
    },
  };
}

/** What changes without the pack changing. `--output` of `packhost index` is written in two steps. */
function isIgnored(path: string, hasSources: boolean): boolean {
  const [first = '', ...rest] = path.split('/');
  if ([first, ...rest].includes('node_modules') || first === '.git') return true;
  return hasSources && (first === 'dist' || /^index\.json(\.\d+\.partial)?$/.test(path));
}

/** Starts the service; while the pack cannot be served, reports that and tries again after each change. */
async function firstGood(settings: Settings, events: EventStream, log: Log, logFormat: LogFormat, watch: FolderWatch): Promise<PackHost> {
  for (;;) {
    try {
      return await startService(settings, { environment: process.env, events, logFormat, prefer: 'sources' });
    } catch (error) {
      if (!(error instanceof BootError)) return failBoot(error, events, log);
      report(error, 'waiting for a change');
    }
    await watch.changed();
  }
}

function report(error: unknown, then: string): void {
  const found = problemsIn(error);
  process.stderr.write(`${problemTable(found, process.stderr.isTTY)}\n${countProblems(found)}; ${then}\n`);
}

function problemsIn(error: unknown): readonly Problem[] {
  if (error instanceof SourcesRefused) return error.found;
  const messages = error instanceof BootError ? error.problems : [error instanceof Error ? error.message : String(error)];
  return messages.map((message) => ({ severity: 'error', file: '', field: '', rule: 'boot', message }));
}
