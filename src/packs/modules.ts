import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModuleEntry } from '../threads/link/thread-pack.js';
import { BootError } from './boot-error.js';
import { type IndexFile, isHttpTool } from './index-file.js';

/** Source path as the index has it → bundle path under the module root. */
export type BundleMap = ReadonlyMap<string, string>;

/**
 * Finds every module that the index names for code, each once, in the index's order. Throws BootError with one
 * problem a module that is missing or lies outside of the module root.
 */
export async function findModules(index: IndexFile, moduleRoot: string, bundleMap: BundleMap): Promise<ModuleEntry[]> {
  const checkPaths = index.guardrails.flatMap(({ checkModulePath }) => (checkModulePath === undefined ? [] : [checkModulePath]));
  const paths = new Set([...index.tools.filter((tool) => !isHttpTool(tool)).map((tool) => tool.modulePath), ...checkPaths]);
  const found = await Promise.all([...paths].map((modulePath) => findModule(modulePath, moduleRoot, bundleMap)));
  const problems = found.filter((module) => typeof module === 'string');
  if (problems.length > 0) throw new BootError(problems);
  return found.filter((module) => typeof module !== 'string');
}

async function findModule(modulePath: string, moduleRoot: string, bundleMap: BundleMap): Promise<ModuleEntry | string> {
  const file = resolve(moduleRoot, bundleMap.get(modulePath) ?? modulePath);
  if (isAbsolute(modulePath) || !isInside(moduleRoot, file)) {
    return `Module outside of the module root: ${modulePath}; the index must name paths below ${moduleRoot}`;
  }
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() ? { modulePath, url: pathToFileURL(file).href } : `Missing module: ${modulePath}`;
}

/** Whether a path, seen from a folder, stays in it. */
export function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, resolve(folder, path));
  return !isAbsolute(inside) && !inside.startsWith('..');
}

/** Reads a bundle map; throws BootError when it is not a JSON object of strings. */
export async function loadBundleMap(path: string | undefined): Promise<BundleMap> {
  if (path === undefined) return new Map();
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new BootError([`Cannot read the bundle map: ${path}: ${error instanceof Error ? error.message : String(error)}`], { cause: error });
  }
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
  if (entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string')) return new Map(entries);
  throw new BootError([`Cannot read the bundle map: ${path} must hold a JSON object from source path to bundle path.`]);
}
