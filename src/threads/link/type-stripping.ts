/*
 * What a thread that imports TypeScript and the thread that strips types say to each other, over a port between the two.
 */

/** A file to strip of its types. */
export interface StripRequest {
  readonly id: number;
  readonly file: string;
  readonly source: string;
}

/** The JavaScript of the file with that id, or why there is none. */
export type StripAnswer = { readonly kind: 'stripped'; readonly id: number; readonly code: string } | { readonly kind: 'refused'; readonly id: number; readonly reason: string };

/** Whether Node strips types by itself, so that nothing here is needed. */
export const nodeStripsTypes = Boolean((process.features as { readonly typescript?: unknown }).typescript);

/** Whether a module is TypeScript, by its name. */
export function isTypeScript(url: string): boolean {
  return /\.[mc]?ts$/.test(url);
}
