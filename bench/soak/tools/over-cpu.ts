export { handler } from './loop.js';
