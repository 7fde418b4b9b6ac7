/**
 * The global under which a thread with a memory limit has a function that answers the bytes it holds;
 * called with true it collects its garbage first. The main thread has it called through the inspector.
 */
export const heldBytesName = '__packhostHeldBytes';
