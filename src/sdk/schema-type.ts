/** A JSON Schema of draft 2020-12; written in place or `as const`, handlers are typed by it. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** `input`: what a handler gets, its defaults filled in. `output`: what it may return. */
export type SchemaUse = 'input' | 'output';

/** The TypeScript type of a JSON Schema literal. What it does not read (`$ref`, `not`, `if`) is left open. */
export type FromSchema<S, Use extends SchemaUse = 'output'> = S extends boolean ? (S extends false ? never : unknown) : Own<S, Use> & Alternatives<S, Use> & All<S, Use>;

type Own<S, Use extends SchemaUse> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: readonly (infer Type)[] }
      ? OfType<Type, S, Use>
      : S extends { readonly type: infer Type }
        ? OfType<Type, S, Use>
        : S extends { readonly properties: object }
          ? OfObject<S, Use>
          : unknown;

type Alternatives<S, Use extends SchemaUse> = S extends { readonly anyOf: readonly (infer One)[] } ? FromSchema<One, Use> : S extends { readonly oneOf: readonly (infer One)[] } ? FromSchema<One, Use> : unknown;

type All<S, Use extends SchemaUse> = S extends { readonly allOf: readonly (infer One)[] } ? Intersection<One extends unknown ? { readonly is: FromSchema<One, Use> } : never>['is'] : unknown;

/** Of `{is: A} | {is: B}`, `{is: A & B}`: what a function of either would have to take. */
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Every) => void ? (Every extends { readonly is: unknown } ? Every : { readonly is: unknown }) : never;

type OfType<Type, S, Use extends SchemaUse> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? OfArray<S, Use>
          : Type extends 'object'
            ? OfObject<S, Use>
            : unknown;

type OfArray<S, Use extends SchemaUse> = S extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? { -readonly [At in keyof Items]: FromSchema<Items[At], Use> }
  : S extends { readonly items: infer Item }
    ? Listed<FromSchema<Item, Use>, Use>
    : Listed<unknown, Use>;

type Listed<Item, Use extends SchemaUse> = Use extends 'input' ? Item[] : readonly Item[];

type OfObject<S, Use extends SchemaUse> = S extends { readonly properties: infer Properties } ? OfProperties<Properties, Present<S, Properties, Use>, Use> & OpenEnd<S, Use> : Values<S, Use>;

/** A property is there when the schema requires it, or when its default has been filled in. */
type Present<S, Properties, Use extends SchemaUse> =
  | (S extends { readonly required: readonly (infer Name)[] } ? Name : never)
  | (Use extends 'input' ? { [Name in keyof Properties]: Properties[Name] extends { readonly default: unknown } ? Name : never }[keyof Properties] : never);

type OfProperties<Properties, Names, Use extends SchemaUse> = {
  -readonly [Name in keyof Properties as Name extends Names ? Name : never]: FromSchema<Properties[Name], Use>;
} & {
  -readonly [Name in keyof Properties as Name extends Names ? never : Name]?: FromSchema<Properties[Name], Use> | Absent<Use>;
};

/** JSON leaves undefined fields out, so a handler may return them. */
type Absent<Use extends SchemaUse> = Use extends 'output' ? undefined : never;

/** Fields that the schema does not name may be returned; to read one, the schema must name it. */
type OpenEnd<S, Use extends SchemaUse> = Use extends 'input' ? unknown : S extends { readonly additionalProperties: false } ? unknown : { readonly [name: string]: unknown };

type Values<S, Use extends SchemaUse> = S extends { readonly additionalProperties: infer Value } ? { [name: string]: FromSchema<Value, Use> } : { [name: string]: unknown };
