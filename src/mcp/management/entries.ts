import { z } from 'zod';
import type { BuiltInTool, ToolAnnotations, ToolRequirement } from '../../catalog/catalog.ts';
import { PURE } from '../../catalog/catalog.ts';
import {
  agentFamily,
  promptFamily,
  resourceFamily,
  schemaOfAnySpace as placed,
  toolFamily,
} from '../../content/content.ts';
import type { ItemFamily } from '../../content/content.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { jsonSchemaOf, NewTarget, defineArguments, Target, VersionedTarget } from './arguments.ts';
import type { ParsedArguments, Shapes } from './arguments.ts';
import { verbs } from './context.ts';
import type { ManagementContext, Noun, Verb } from './context.ts';

const families: readonly ItemFamily[] = [resourceFamily, promptFamily, agentFamily, toolFamily];

const MAX_PAGE_ITEMS = 200;
// Length of a cursor with the longest resource URI, percent-encoded.
const MAX_CURSOR_LENGTH = 8_192;
const TIMEOUT_MS = 20_000;

/** Pagination arguments; unlike in a URL, numbers are not text. */
export const PageArguments = z.strictObject({
  limit: z.int().min(1).max(MAX_PAGE_ITEMS).default(50),
  cursor: z
    .string()
    .max(MAX_CURSOR_LENGTH)
    .optional()
    .describe('`next_cursor` of the previous page.'),
});
export type PageArguments = z.infer<typeof PageArguments>;

/** Tool ids. They never change: selections and policies store them. */
const ids: Readonly<Record<Noun, Readonly<Record<Verb, string>>>> = {
  resource: {
    list: '016896ef-4600-4d47-b9c4-4af86ba90b3a',
    get: 'ebc00748-78b7-4272-b6d1-9acfad9ea26a',
    create: 'd43b9e61-7b55-4797-b2c2-937266546a1c',
    update: 'd6326584-2dd7-4c27-a0c9-366c4875cb4d',
    patch: '7937cbf7-55b4-4b2d-91e7-e9af7cfddec0',
    delete: 'c1e9a42e-0fed-45d1-a1b0-9ba84f67ee7b',
  },
  prompt: {
    list: 'a86b2f8d-d2f5-4530-8515-fce6eba76bb1',
    get: 'f1b19dfd-2881-42e4-a065-6c5191aaf58f',
    create: '0e7521dd-426b-4457-9778-5311d29b4043',
    update: '5cf3b878-add8-4128-a7ad-a41bf8b7c506',
    patch: 'bdc2d1fd-025d-4014-9d9f-a46eb37059df',
    delete: 'd7bd62e9-0349-466a-befa-47cc8862fd08',
  },
  agent: {
    list: 'c087d90b-dc7a-43f8-b6f8-f2323d8ae41d',
    get: '93ded030-ff38-4154-8042-9ea3393b838d',
    create: '414536a7-741f-4660-a628-62aebc183cd4',
    update: '44299b4c-774a-45be-949f-554d563fda04',
    patch: '2787f498-98fb-4078-9e72-4d3e0a54b596',
    delete: '5d8b0339-37ef-461e-9b97-d4c3021283b0',
  },
  custom_tool: {
    list: '5764fcf4-777c-49d2-bfa7-029af2696376',
    get: '6ef95c01-5ad2-482d-acf5-2e0588acb4df',
    create: '002b6b78-f902-4c45-b57a-e7e7f08d1271',
    update: 'e88a0f28-ce79-43c9-b80e-57ef392c3190',
    patch: '96d0d1d3-a2b1-40c4-a36a-0362cea0fbb4',
    delete: '6bd23615-0061-4867-b27d-c5b3adcbc39c',
  },
};

/** Definition of a verb for any family. */
interface VerbDefinition {
  title(words: ItemFamily['words']): string;
  description(words: ItemFamily['words'], noun: Noun): string;
  shapes(family: ItemFamily): Shapes;
  output(family: ItemFamily): z.ZodType;
  annotations: ToolAnnotations;
  /** The permission that a write needs; null for reads, which need what MCP requires anyway. */
  needs: 'create' | 'update' | 'delete' | null;
}

const WRITE = { readOnlyHint: false, openWorldHint: false } as const;
const REPLACE: ToolAnnotations = { ...WRITE, destructiveHint: true, idempotentHint: true };
const RETURNS =
  'Returns the item if this credential may read it, otherwise only its `id` and `version`.';
const CONFLICTS =
  'Fails with `not_found`, `version_mismatch` if `if_version` is not the current version, ' +
  '`name_taken`, or an error code for each invalid field.';

const definitions: Readonly<Record<Verb, VerbDefinition>> = {
  list: {
    title: ({ many }) => `List ${many}`,
    description: ({ many }, noun) =>
      `Lists the ${many} this credential can access, by name, without their content.${
        noun === 'prompt' ? ' An entry without `version` is built in and cannot be changed.' : ''
      }`,
    shapes: () => ({ target: null, body: PageArguments }),
    output: ({ noun, listed }) => pageOf(readable(noun, placed(listed))),
    annotations: PURE,
    needs: null,
  },
  get: {
    title: ({ one }) => `Get one ${one}`,
    description: ({ one }) => `Returns one ${one} this credential can access, with its content.`,
    shapes: () => ({ target: Target, body: null }),
    output: ({ noun, record }) => readable(noun, placed(record)),
    annotations: PURE,
    needs: null,
  },
  create: {
    title: ({ a }) => `Create ${a}`,
    description: ({ a, many }) =>
      `Creates ${a} in the account's personal space, or in an organization in \`space\`. ${RETURNS} ` +
      `Fails with \`name_taken\`, \`limit_reached\` if the plan allows no more ${many}, or an error code for each ` +
      'invalid field.',
    shapes: ({ draft }) => ({ target: NewTarget, body: draft }),
    output: writeResultOf,
    annotations: { ...WRITE, destructiveHint: false, idempotentHint: false },
    needs: 'create',
  },
  update: {
    title: ({ a }) => `Replace ${a}`,
    description: ({ a }) =>
      `Replaces all fields of ${a}: omitted fields get their defaults. ${RETURNS} ${CONFLICTS}`,
    shapes: ({ draft }) => ({ target: VersionedTarget, body: draft }),
    output: writeResultOf,
    annotations: REPLACE,
    needs: 'update',
  },
  patch: {
    title: ({ a }) => `Change ${a}`,
    description: ({ a }) =>
      `Changes fields of ${a}: omitted fields stay as they are. ${RETURNS} ${CONFLICTS}`,
    shapes: ({ change }) => ({ target: VersionedTarget, body: change }),
    output: writeResultOf,
    annotations: REPLACE,
    needs: 'update',
  },
  delete: {
    title: ({ a }) => `Delete ${a}`,
    description: ({ a }) =>
      `Deletes ${a} permanently and removes it from the policies of keys. Fails with ` +
      '`not_found`, or with `version_mismatch` if `if_version` is not the current version.',
    shapes: () => ({ target: VersionedTarget, body: null }),
    output: () => z.object({ deleted: z.guid() }),
    annotations: REPLACE,
    needs: 'delete',
  },
};

/** Returns the output shape of a write: the record only if the caller may read it. */
function writeResultOf({ record }: ItemFamily): z.ZodType {
  return z.union([placed(record), z.object({ id: z.guid(), version: z.int() })]);
}

/** Makes version and timestamps optional for prompts: platform prompts have none. */
const readable = (noun: Noun, shape: z.ZodType) =>
  noun === 'prompt' && shape instanceof z.ZodObject
    ? shape.partial({ version: true, created_at: true, updated_at: true })
    : shape;

export interface ManagementEntry {
  verb: Verb;
  family: ItemFamily;
  tool: BuiltInTool;
}

function entryOf(verb: Verb, family: ItemFamily): ManagementEntry {
  const { title, description, shapes, output, annotations, needs } = definitions[verb];
  const { noun, words } = family;
  const name = verb === 'list' ? `list_${noun}s` : `${verb}_${noun}`;
  return {
    verb,
    family,
    tool: {
      id: ids[noun][verb],
      name,
      title: title(words),
      description: description(words, noun),
      annotations,
      timeout_ms: TIMEOUT_MS,
      examples: [],
      ...defineArguments(shapes(family)),
      output_schema: { ...jsonSchemaOf(output(family), 'output'), type: 'object' },
      requires: requirementOf(family, needs),
      secret_arguments: noun === 'custom_tool' ? ['secrets'] : [],
      run: (input, context: ManagementContext) =>
        context.manage((management, call) =>
          management.perform(verb, noun, call, input as ParsedArguments),
        ),
      compute: null,
    },
  };
}

function requirementOf(
  { permissions }: ItemFamily,
  needs: VerbDefinition['needs'],
): ToolRequirement {
  if (needs !== null) return { permission: `can_${permissions}_${needs}` };
  return permissions === 'agents' ? { capability: 'agents' } : {};
}

/** All management tools; they are catalog entries like any built-in tool. */
export const managementEntries: readonly ManagementEntry[] = families.flatMap((family) =>
  verbs.map((verb) => entryOf(verb, family)),
);
