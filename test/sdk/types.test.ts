/**
 * What the compiler makes of declarations. The assertions are types: a wrong one fails the build. Self-reference
 * by the package's name would need the built files, so the source is imported.
 */
import t from 'tap';
import { z } from 'zod';
import { contextForTest, type FileReadAnswer, type FromSchema, guardrail, type InputOf, type OutputOf, type PauseAnswer, tool, type ToolConnection } from '../../src/sdk/index.js';

/** Fails to compile unless A and B are one type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Writes intersections out, so that they compare by what they hold. */
type Flat<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]: Flat<T[K]> } : T;
const proven = <_True extends true>(): void => {};

t.test('a JSON Schema literal is the type of what a handler gets, with defaults filled in', async (t) => {
  proven<Same<FromSchema<{ readonly type: 'string' }>, string>>();
  proven<Same<FromSchema<{ readonly type: readonly ['integer', 'null'] }>, number | null>>();
  proven<Same<FromSchema<{ readonly enum: readonly ['a', 1, null] }>, 'a' | 1 | null>>();
  proven<Same<FromSchema<{ readonly const: 'x' }>, 'x'>>();
  proven<Same<FromSchema<true>, unknown>>();
  proven<Same<FromSchema<false>, never>>();
  proven<Same<FromSchema<{ readonly $ref: '#/$defs/a' }>, unknown>>();
  proven<Same<FromSchema<{ readonly anyOf: readonly [{ readonly type: 'string' }, { readonly type: 'boolean' }] }>, string | boolean>>();
  proven<Same<FromSchema<{ readonly type: 'array'; readonly items: { readonly type: 'number' } }, 'input'>, number[]>>();
  proven<Same<FromSchema<{ readonly type: 'array'; readonly prefixItems: readonly [{ readonly type: 'number' }, { readonly type: 'string' }] }, 'input'>, [number, string]>>();
  proven<Same<FromSchema<{ readonly type: 'object'; readonly additionalProperties: { readonly type: 'number' } }>, { [name: string]: number }>>();
  const schema = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, times: { type: 'integer', default: 1 }, loud: { type: 'boolean' } },
  } as const;
  proven<Same<Flat<InputOf<typeof schema>>, { name: string; times: number; loud?: boolean }>>();
  const _closed = { ...schema, additionalProperties: false } as const;
  proven<Same<Flat<OutputOf<typeof _closed>>, { name: string; times?: number | undefined; loud?: boolean | undefined }>>();
  const _both = { allOf: [{ type: 'object', required: ['a'], properties: { a: { const: 1 } } }, { type: 'object', required: ['b'], properties: { b: { const: 2 } } }] } as const;
  proven<Same<Flat<InputOf<typeof _both>>, { a: 1; b: 2 }>>();
  const _shapes = {
    type: 'object',
    oneOf: [
      { required: ['kind', 'r'], properties: { kind: { const: 'circle' }, r: { type: 'number' } } },
      { required: ['kind', 'side'], properties: { kind: { const: 'square' }, side: { type: 'number' } } },
    ],
  } as const;
  const area = (shape: InputOf<typeof _shapes>): number => (shape.kind === 'circle' ? shape.r : shape.side);
  t.equal(area({ kind: 'square', side: 2 }), 2);
});

t.test('a handler written in place is typed by its schemas', async (t) => {
  const repeat = tool({
    id: 'acme.repeat',
    description: 'Repeats a text.',
    input: { type: 'object', required: ['text'], properties: { text: { type: 'string' }, times: { type: 'integer', default: 2 } } },
    output: { type: 'object', required: ['text'], properties: { text: { type: 'string' } }, additionalProperties: false },
    handler: ({ text, times }) => {
      proven<Same<typeof text, string>>();
      proven<Same<typeof times, number>>();
      return { text: text.repeat(times) };
    },
  });
  t.strictSame(await repeat.handler({ text: 'ab', times: 2 }, contextForTest({ tool: repeat })), { text: 'abab' });

  tool({
    id: 'acme.wrong',
    description: 'Answers a number where its output is text.',
    input: true,
    output: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    // @ts-expect-error -- the output schema wants text
    handler: () => ({ text: 1 }),
  });
});

t.test('a Standard Schema types the handler by what it makes of the input', async (t) => {
  const when = tool({
    id: 'acme.when',
    description: 'Says a year.',
    input: z.object({ year: z.string().transform(Number), era: z.enum(['ad', 'bc']).default('ad') }),
    output: z.object({ text: z.string() }),
    async handler(input) {
      proven<Same<typeof input, { year: number; era: 'ad' | 'bc' }>>();
      return { text: `${input.year.toFixed(0)} ${input.era}` };
    },
  });
  t.strictSame(await when.handler({ year: 5, era: 'bc' }, contextForTest({ tool: when })), { text: '5 bc' });
});

t.test('a context has what its tool declares, and nothing else', async () => {
  tool({
    id: 'acme.plain',
    description: 'Declares nothing.',
    input: true,
    output: true,
    handler: (_input, ctx) => {
      proven<Same<typeof ctx.tenantId, string>>();
      // @ts-expect-error -- no storesFiles, no readsFiles
      void ctx.files;
      // @ts-expect-error -- no pauses
      void ctx.pause;
      // @ts-expect-error -- no needsSpec.connections
      void ctx.connections;
      return null;
    },
  });
  tool({
    id: 'acme.everything',
    description: 'Declares everything.',
    input: true,
    output: { type: 'string' },
    needsSpec: { env: { REGION: { enum: ['eu', 'us'] } }, secrets: { KEY: { type: 'string' } }, connections: { mail: {} } },
    pauses: true,
    readsFiles: true,
    handler: async (_input, ctx) => {
      proven<Same<typeof ctx.env.REGION, 'eu' | 'us'>>();
      proven<Same<typeof ctx.secrets.KEY, string>>();
      proven<Same<typeof ctx.connections, { readonly mail?: ToolConnection }>>();
      proven<Same<Awaited<ReturnType<typeof ctx.files.read>>, FileReadAnswer>>();
      // @ts-expect-error -- no storesFiles
      void ctx.files.store;
      proven<Same<ReturnType<typeof ctx.pause>, PauseAnswer>>();
      return ctx.tenantId === '' ? ctx.pause() : 'text';
    },
  });
  tool({
    id: 'acme.no-pause',
    description: 'Declares no pause.',
    input: true,
    output: { type: 'string' },
    // @ts-expect-error -- a pause is no text, and the tool declares none
    handler: () => contextForTest().pause(),
  });
});

t.test("a check's config is typed by its schema, a trace has its lists", async () => {
  guardrail({
    id: 'acme.short',
    onViolation: 'halt',
    configSchema: { type: 'object', required: ['most'], properties: { most: { type: 'integer' } } },
    config: { most: 3 },
    check: (config, trace) => {
      proven<Same<typeof config.most, number>>();
      return (trace.output ?? '').length <= config.most && trace.toolCalls.length === 0;
    },
  });
  guardrail({
    id: 'acme.zod',
    onViolation: 'retry',
    configSchema: z.object({ most: z.number().default(3) }),
    check: (config) => {
      proven<Same<typeof config, { most: number }>>();
      return { passed: config.most > 0 };
    },
  });
  // @ts-expect-error -- a verdict has `passed`
  guardrail({ id: 'acme.odd', onViolation: 'halt', check: () => ({ verdict: true }) });
});
