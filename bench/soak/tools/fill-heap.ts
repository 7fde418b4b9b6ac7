import { type Input, ran } from './call.js';
import { fill } from './fill.js';

/** Small objects; one of them takes about this much of the heap. */
const objectBytes = 64;

export const handler = ({ nonce }: Input) => {
  ran(nonce);
  fill((bytes) => Array.from({ length: bytes / objectBytes }, (_, number) => ({ number, half: number / 2, next: undefined })));
};
