import inspector from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';

/** Refuses what would reach beyond this thread: a signal to the process, and the inspector of the main thread. */
export function guardMainThread(): void {
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    if (signal !== 0 && (pid === process.pid || pid === 0 || pid === -1 || pid === -process.pid)) {
      throw new Error(`Pack code may not send ${signal ?? 'SIGTERM'} to the pack service; it runs in a thread of that process.`);
    }
    return kill(pid, signal);
  };
  inspector.Session.prototype.connectToMainThread = () => {
    throw new Error('Pack code may not inspect the main thread of the pack service.');
  };
  syncBuiltinESMExports();
}
