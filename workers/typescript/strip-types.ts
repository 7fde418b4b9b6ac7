import { transformSync } from '@swc/wasm-typescript';

/**
 * TypeScript with spaces in place of its types, as Node 24 strips them, with the same compiler in the same mode:
 * every line and column stays where it was and no source map is needed. Throws SyntaxError on what is more than
 * types (enum, namespace, parameter properties), as Node does.
 */
export function stripTypes(source: string, file: string): string {
  try {
    return transformSync(source, { mode: 'strip-only', filename: file, deprecatedTsModuleAsError: true }).code;
  } catch (error) {
    throw new SyntaxError(`${file}: ${reasonOf(error)}`);
  }
}

/** The compiler throws `{ code, message, snippet, startLine }`. */
function reasonOf(error: unknown): string {
  const { message, startLine, snippet } = (typeof error === 'object' && error !== null ? error : {}) as Partial<Record<'message' | 'startLine' | 'snippet', unknown>>;
  if (typeof message !== 'string') return String(error);
  return `${message}${typeof startLine === 'number' ? ` (line ${startLine})` : ''}${typeof snippet === 'string' ? `: ${snippet.trim()}` : ''}`;
}
