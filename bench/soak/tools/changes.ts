/** What belongs to the whole process, and no call may change. */
export const changes: Readonly<Record<string, () => void>> = {
  abort: () => process.abort(),
  'kill of oneself': () => process.kill(process.pid, 'SIGTERM'),
  chdir: () => process.chdir('/'),
  umask: () => process.umask(0o777),
};
