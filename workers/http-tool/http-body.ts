import { HttpToolError } from './error.js';

/** As much as a call may send. */
const largestBody = 10 * 1024 * 1024;

/** An answer's body as text; what is too large is not read to its end. */
export async function readBody(response: Response, name: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > largestBody) throw new HttpToolError('HttpBodyTooLarge', `${name} answered more than ${largestBody} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
