/** From the least severe level that is written to none at all; `ctx.log` has a method for each but the last. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** How records look: JSON lines for machines, or one readable line each for a terminal. */
export type LogFormat = 'json' | 'pretty';
