const mebibyte = 1024 * 1024;
/** Three times the limit these tools declare: where nothing enforces that, the machine must bear several of them at once. */
const mostMebibytes = 192;

/**
 * Takes memory a mebibyte at a time and keeps it, then spins with what it has. Small pieces on
 * purpose: one huge allocation is another case, which can end the whole process.
 */
export function fill(takeMebibyte: (bytes: number) => unknown): never {
  const kept: unknown[] = [];
  for (;;) if (kept.length < mostMebibytes) kept.push(takeMebibyte(mebibyte));
}
