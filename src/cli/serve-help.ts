import yargs from 'yargs';
import { type Setting, settingTable } from '../service/settings.js';

const serveUsage =
  '$0 serve [DIR] [flags]\n\nServes a pack, at DIR or --index: loads its index and modules into worker threads and answers calls over HTTP.\nEach flag has the environment name behind it; flags win. KINDGI_PACK_SERVICE_TOKEN is required, and is never a flag.';

/** What `packhost serve --help` prints, and with its own usage that of another command that serves. */
export async function serveHelp(usage = serveUsage): Promise<string> {
  const serve = yargs([])
    .scriptName('packhost')
    .usage(usage)
    .help(false)
    .version(false)
    .wrap(Math.min(120, process.stdout.columns ?? 100));
  for (const { flag, env, group, help, fallback, fallbackText } of Object.values<Setting<unknown>>(settingTable)) {
    serve.option(flag, {
      group: `${group}:`,
      describe: env === undefined ? help : `${help} [${env}]`,
      defaultDescription: fallbackText ?? String(fallback),
      requiresArg: true,
    });
  }
  return serve.getHelp();
}
