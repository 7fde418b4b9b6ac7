import type { Issue } from '../../src/protocol/messages.js';

/** What a schema of the pack's own made of a value. */
export type Parsed = { readonly kind: 'ok'; readonly value: unknown } | { readonly kind: 'issues'; readonly issues: readonly Issue[] };

/** Parses a value with a schema that the pack's code carries; throws what the schema throws. */
export type Parser = (value: unknown) => Promise<Parsed>;

type Path = readonly (PropertyKey | { readonly key: PropertyKey })[];

interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly { readonly message: string; readonly path?: Path }[];
}

interface SafeParseResult {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: { readonly issues?: StandardResult['issues'] };
}

/** The parser of a tool's `inputZod`, or of an `input` with the Standard Schema interface (https://standardschema.dev). */
export function parserOf(owner: Readonly<Record<string, unknown>> | undefined): Parser | undefined {
  if (owner === undefined) return undefined;
  return standardParser(owner['inputZod']) ?? zodParser(owner['inputZod']) ?? standardParser(owner['input']);
}

function standardParser(schema: unknown): Parser | undefined {
  const standard = field(schema, '~standard');
  const validate = field(standard, 'validate');
  if (typeof validate !== 'function') return undefined;
  return async (value) => {
    const result = (await Reflect.apply(validate, standard, [value])) as StandardResult;
    return result.issues === undefined ? { kind: 'ok', value: result.value } : failed(result.issues);
  };
}

/** Zod before 3.24 has no Standard Schema interface. */
function zodParser(schema: unknown): Parser | undefined {
  const safeParse = field(schema, 'safeParseAsync');
  if (typeof safeParse !== 'function') return undefined;
  return async (value) => {
    const result = (await Reflect.apply(safeParse, schema, [value])) as SafeParseResult;
    return result.success ? { kind: 'ok', value: result.data } : failed(result.error?.issues ?? []);
  };
}

function failed(issues: NonNullable<StandardResult['issues']>): Parsed {
  return { kind: 'issues', issues: issues.slice(0, 100).map(({ message, path }) => ({ instancePath: pointer(path ?? []), message })) };
}

function pointer(path: Path): string {
  return path
    .map((step) => String(typeof step === 'object' ? step.key : step).replaceAll('~', '~0').replaceAll('/', '~1'))
    .map((step) => `/${step}`)
    .join('');
}

function field(value: unknown, name: string): unknown {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? (value as Record<string, unknown>)[name] : undefined;
}
