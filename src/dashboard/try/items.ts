/** The families of what can be called, by their names in explanations. */
export const tryFamilies = ['tool', 'prompt', 'resource'] as const;
export type TryFamily = (typeof tryFamilies)[number];

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Arguments of a call. */
export type Values = Readonly<Record<string, unknown>>;

/** Something that the connection may call, get or read. */
export interface TryItem {
  family: TryFamily;
  /** Its MCP name; of a resource, the URI. */
  name: string;
  title: string | null;
  description: string | null;
  /** Schema of its arguments; null if it takes none. */
  schema: JsonSchema | null;
  /** Whether a call may change or delete something for good: what says nothing about it may. */
  mayDestroy: boolean;
}

interface Described {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
}

const described = ({ name, title = '', description = '' }: Described) => ({
  name,
  title: title === '' || title === name ? null : title,
  description: description === '' ? null : description,
});

export const toolItem = ({
  inputSchema,
  annotations,
  ...tool
}: Described & {
  inputSchema: JsonSchema;
  annotations?:
    | { readOnlyHint?: boolean | undefined; destructiveHint?: boolean | undefined }
    | undefined;
}): TryItem => ({
  ...described(tool),
  family: 'tool',
  schema: takesNone(inputSchema) ? null : inputSchema,
  mayDestroy: annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false,
});

/** A schema that only admits an empty object. */
const takesNone = ({ properties = {}, additionalProperties, ...schema }: JsonSchema): boolean =>
  Object.keys(properties as object).length === 0 &&
  (additionalProperties === false || !('anyOf' in schema || 'oneOf' in schema || '$ref' in schema));

export const promptItem = ({
  arguments: declared = [],
  ...prompt
}: Described & {
  arguments?:
    | readonly { name: string; description?: string | undefined; required?: boolean | undefined }[]
    | undefined;
}): TryItem => ({
  ...described(prompt),
  family: 'prompt',
  schema:
    declared.length === 0
      ? null
      : {
          type: 'object',
          properties: Object.fromEntries(
            declared.map(({ name, description }) => [name, { type: 'string', description }]),
          ),
          required: declared.filter(({ required }) => required === true).map(({ name }) => name),
        },
  mayDestroy: false,
});

export const resourceItem = ({ uri, ...resource }: Described & { uri: string }): TryItem => ({
  ...described({ ...resource, name: uri, title: resource.title ?? resource.name }),
  family: 'resource',
  schema: null,
  mayDestroy: false,
});

/** The item that the address of the page names; the names of items are those of MCP. */
export interface TrySearch {
  family?: TryFamily;
  item?: string;
  /** The organization in which the page suggests to work. */
  organization?: string;
}

export function trySearchOf({ family, item, organization }: Record<string, unknown>): TrySearch {
  const known = tryFamilies.find((one) => one === family);
  return {
    ...(known === undefined ? {} : { family: known }),
    ...(typeof item === 'string' ? { item } : {}),
    ...(typeof organization === 'string' ? { organization } : {}),
  };
}
