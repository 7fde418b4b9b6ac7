/**
 * How much of one body is read or sent before others get their turn: in one round of the event loop Node reads
 * 2 MiB from each of the sockets that have them, and a write copies all it is given into the kernel.
 */
export const bytesPerTurn = 262_144;
