import { type Input, ran } from './call.js';

/** What belongs to the whole process, and no call may change. */
export const changes: Readonly<Record<string, () => void>> = {
  abort: () => process.abort(),
  'kill of oneself': () => process.kill(process.pid, 'SIGTERM'),
  chdir: () => process.chdir('/'),
  umask: () => process.umask(0o777),
};

export const handler = ({ nonce, what }: Input & { what: string }) => {
  ran(nonce);
  changes[what]?.();
  return { nonce };
};
