export default {
  pack: { id: 'my-pack', version: '0.1.0' },
  // The environment variables that the pack's code may read; others do not reach it.
  env: { required: [], optional: [] },
};
