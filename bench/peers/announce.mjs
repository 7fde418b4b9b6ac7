/**
 * Preloaded into every peer (`node --import`): says on stderr which port it listens on, in the
 * words packhost uses, so that one starter serves all of them and frameworks run from their own
 * command, unchanged.
 */
import { subscribe } from 'node:diagnostics_channel';

subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => {
  const { port } = server.address();
  process.stderr.write(`${JSON.stringify({ kind: 'listening', port })}\n`);
});
