export default {
  pack: {
    id: 'example',
    version: '1.0.0',
    description: 'Tools that read CSV, text and web pages, and guardrails that judge what an agent answers.',
  },
  env: {
    required: [],
    optional: ['FETCH_PAGE_ALLOW_PRIVATE_ADDRESSES'],
  },
};
