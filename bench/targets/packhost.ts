import { randomBytes } from 'node:crypto';
import { ServerProcess } from './server-process.js';
import { invokeBody, type Target } from './target.js';

/** packhost's built command with its defaults, plus the flags that a scenario names. */
export function packhost(entry: string, flags: readonly string[] = []): Target {
  return {
    name: 'packhost',
    async start(pack) {
      const token = randomBytes(24).toString('base64url');
      const server = await ServerProcess.start({
        args: [entry, 'serve', '--index', pack.indexPath, '--module-root', pack.folder, '--host', '127.0.0.1', ...flags],
        env: { KINDGI_PACK_SERVICE_TOKEN: token, NODE_ENV: 'production' },
      });
      return {
        name: 'packhost',
        server,
        answersWithRequest: false,
        call: (tool, input, deadlineMs) => ({
          method: 'POST',
          path: '/v1/invoke',
          headers: {
            'content-type': 'application/json',
            'kindgi-pack-token': token,
            ...(deadlineMs === undefined ? {} : { 'kindgi-timeout-ms': String(deadlineMs) }),
          },
          body: invokeBody(tool, input),
        }),
      };
    },
  };
}
