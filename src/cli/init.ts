import { relative } from 'node:path';
import { FolderNotEmpty, initPack } from '../init/init-pack.js';
import { readArguments } from './pack-command.js';

const command = { name: 'init', usage: 'DIR\n\nWrites a small pack into a new folder: a tool, a guardrail, their tests and a README.', options: {} } as const;

/** `packhost init`: exit 0 once the pack is written, else 1. The pack asks for this version of packhost. */
export async function init(args: readonly string[], version: string): Promise<void> {
  const given = readArguments(command, args);
  if (given === undefined) return;
  try {
    const { id, files } = await initPack(given.path, version);
    const folder = relative(process.cwd(), given.path);
    process.stdout.write(`${id} is written:\n${files.map((file) => `  ${file}\n`).join('')}\nNext:\n${folder === '' ? '' : `  cd ${folder}\n`}  npm install\n  npm test\n  npx packhost dev\n`);
  } catch (error) {
    if (!(error instanceof FolderNotEmpty)) throw error;
    process.stderr.write(`packhost init: ${error.message}\n`);
    process.exitCode = 1;
  }
}
