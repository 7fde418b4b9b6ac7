/** Loaded before a program, see `asLimitedUser`: limits its process to the threads that it has, and so many more. */
import { stat } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';
import { limitThreads } from './limited-process.js';

if (isMainThread) {
  // The first such call starts the threads of libuv; without them the process would abort.
  await stat('/');
  limitThreads(process.pid, Number(new URL(import.meta.url).searchParams.get('spare')));
}
