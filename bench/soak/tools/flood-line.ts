/** One letter alone: whatever piece of a flood lands within another line, it can be told from the rest. */
export const floodLetter = '~';
export const floodLine = `${floodLetter.repeat(127)}\n`;
