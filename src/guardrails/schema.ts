const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: { type: 'string' } };
const ids = { type: 'array', items: text };
const closed = <const Properties extends object>(properties: Properties, required: readonly string[] = []) => ({ type: 'object', additionalProperties: false, required, properties });
const objects = { type: 'object', additionalProperties: { type: 'object' } };

/** Where `kind` is one of `kinds`: which keys there must be, and which there may not. */
const whereKindIs = (kinds: readonly string[], { required = [], forbidden = [] }: { readonly required?: readonly string[]; readonly forbidden?: readonly string[] }): object => ({
  if: { type: 'object', required: ['kind'], properties: { kind: { enum: kinds } } },
  then: { required, properties: Object.fromEntries(forbidden.map((name) => [name, false])) },
});

// The published schema says these two with `oneOf`, which reports the issues of every branch.
const network = {
  ...closed({ kind: { enum: ['none', 'allowlist', 'unrestricted'] }, hosts: ids }, ['kind']),
  allOf: [whereKindIs(['allowlist'], { required: ['hosts'] }), whereKindIs(['none', 'unrestricted'], { forbidden: ['hosts'] })],
};
const codeArtifactRef = {
  ...closed({ kind: { enum: ['oci', 'filesystem'] }, imageRef: text, modulePath: text, artifactVersion: text }, ['kind', 'modulePath']),
  allOf: [whereKindIs(['oci'], { required: ['imageRef', 'artifactVersion'] }), whereKindIs(['filesystem'], { forbidden: ['imageRef', 'artifactVersion'] })],
};

/** A guardrail's shape, schema version 1.1.0, as JSON Schema 2020-12. */
export const guardrailSchema = closed(
  {
    id: text,
    name: { type: 'string' },
    description: { type: 'string' },
    kind: text,
    check: text,
    config: { type: 'object' },
    action: closed(
      {
        'on-violation': text,
        retry: closed({ maxAttempts: { type: 'integer', minimum: 1, maximum: 10 } }, ['maxAttempts']),
        escalateTo: { type: 'string' },
        compensateWith: { type: 'string' },
      },
      ['on-violation'],
    ),
    severity: { enum: ['info', 'warn', 'error', 'critical'] },
    scope: closed({ when: { enum: ['always', 'ci-only', 'runtime-only'] }, agents: texts, flows: texts, tenants: texts }),
    budget: closed({ maxCostUsd: { type: 'number', minimum: 0 }, maxLatencyMs: { type: 'integer', minimum: 0 } }),
    sandbox: { enum: ['none', 'context-isolated', 'strict'] },
    limits: closed({ memMB: { type: 'integer', minimum: 1 }, cpuMs: { type: 'integer', minimum: 1 } }, ['memMB', 'cpuMs']),
    network,
    needsSpec: closed({ env: objects, secrets: objects, config: objects, capabilities: ids, bindings: ids }),
    codeArtifactRef,
    judgeCapabilities: { type: 'object' },
  },
  ['id', 'kind', 'check', 'action'],
);
