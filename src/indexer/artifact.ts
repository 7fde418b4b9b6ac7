import { readFile } from 'node:fs/promises';
import type { Artifact } from './pack-index.js';

/**
 * Names a build: its day and a number, `20261130.1`, the next one when the version that it replaces is of
 * the same day. What is given stands as it is.
 */
export function nameArtifact({ artifactVersion, publishedAt }: Partial<Artifact>, replaced: string | undefined): Artifact {
  const at = publishedAt ?? new Date().toISOString();
  return { artifactVersion: artifactVersion ?? nextVersion(at.slice(0, 10).replaceAll('-', ''), replaced), publishedAt: at };
}

function nextVersion(day: string, last: string | undefined): string {
  const [lastDay, number] = last?.split('.') ?? [];
  return `${day}.${lastDay === day && /^\d{1,9}$/.test(number ?? '') ? Number(number) + 1 : 1}`;
}

/** The version of an index file. One that is not there, or cannot be read, has none: it is about to be replaced. */
export async function artifactVersionOf(path: string): Promise<string | undefined> {
  try {
    const { artifactVersion } = JSON.parse(await readFile(path, 'utf8')) as { artifactVersion?: unknown };
    return typeof artifactVersion === 'string' ? artifactVersion : undefined;
  } catch {
    return undefined;
  }
}
