import { z } from 'zod';
import { addressOf, prefixOf } from '../spaces/prefix.ts';
import type { Mount } from '../spaces/mount.ts';
import type { Space } from '../spaces/space.ts';
import type { Draft, ItemFamily } from './kind.ts';
import type { ItemRecord } from './records.ts';

/** Fields that items have in an organization, in addition to those in a personal space. */
const SpaceFields = z
  .object({
    space: z.string().describe('`me`, `organization` or the name of a team.'),
    qualified_name: z.string().describe('The item’s name over MCP; for a resource, its URI.'),
  })
  .meta({ id: 'SpaceFields' });
const CatalogFields = SpaceFields.extend({
  organization_wide: z
    .boolean()
    .describe(
      'Whether all credentials of the organization can access it, or only those of teams that admit it.',
    ),
}).meta({ id: 'CatalogFields' });

/** Adds `space` and `qualified_name` to an item of an organization. */
export function withSpace(
  space: Space,
  family: Pick<ItemFamily, 'family' | 'nameField'>,
  record: ItemRecord,
): ItemRecord {
  if (space.kind === 'personal') return record;
  const qualified_name = mcpNameIn(space, family, record);
  return { ...record, space: nameOf(space), qualified_name };
}

/** Formats an item with its content: as `withSpace` does, with the warnings of its family. */
export function wholeItem(
  space: Space,
  family: Pick<ItemFamily, 'family' | 'nameField' | 'warningsOf'>,
  record: ItemRecord,
): ItemRecord {
  const shown = withSpace(space, family, record);
  if (family.warningsOf === undefined) return shown;
  return { ...shown, warnings: family.warningsOf(record, mcpNameIn(space, family, record)) };
}

/** Returns the name that an item has over MCP; for a resource, its URI. */
function mcpNameIn(
  space: Space,
  { family, nameField }: Pick<ItemFamily, 'family' | 'nameField'>,
  record: ItemRecord,
): string {
  return addressOf(prefixOf(space), { family, name: String(record[nameField]) });
}

function nameOf(space: Exclude<Space, { kind: 'personal' }>): string {
  if (space.kind === 'team') return space.name;
  return space.kind === 'member' ? 'me' : 'organization';
}

/** Returns the schema of a record with the fields that `withSpace` adds. */
export function schemaWithSpace(mount: Pick<Mount, 'kind' | 'word'>, record: z.ZodType): z.ZodType {
  if (mount.kind === 'personal') return record;
  const fields = mount.kind === 'organization' ? CatalogFields : SpaceFields;
  return named(mount, record, record.and(fields));
}

/** Returns the schema of a record of any space, with the fields that `withSpace` may add. */
export function schemaOfAnySpace(record: z.ZodType): z.ZodType {
  const fields = CatalogFields.partial().shape;
  if (record instanceof z.ZodObject) return record.extend(fields);
  if (!(record instanceof z.ZodDiscriminatedUnion))
    throw new TypeError('The schema of a record must be an object or a union of objects.');
  const [first, ...rest] = (record.options as z.ZodObject[]).map((option) => option.extend(fields));
  return z.discriminatedUnion(record.def.discriminator, [first!, ...rest]);
}

/**
 * Names the schema that extends another one: an organization's `Prompt` is an `OrganizationPrompt`.
 * In the spaces of teams and of members, it is the same `SpacePrompt`.
 */
export function named<Schema extends z.ZodType>(
  { kind, word }: Pick<Mount, 'kind' | 'word'>,
  base: z.ZodType,
  schema: Schema,
): Schema {
  const id = base.meta()?.id;
  if (id === undefined) return schema;
  return schema.meta({ id: `${kind === 'team' || kind === 'member' ? 'Space' : word}${id}` });
}

/** Returns the schemas of the request bodies that create and change items of a mount. */
export function bodySchemas(mount: Pick<Mount, 'kind' | 'word'>, { draft, change }: ItemFamily) {
  if (mount.kind !== 'organization') return { draft, change };
  const { organization_wide } = CatalogFields.shape;
  const inDraft = organization_wide.default(false).meta({ id: 'OrganizationWideDraft' });
  const ofDraft = z.object({ organization_wide: inDraft }).meta({ id: 'CatalogDraftFields' });
  const ofChange = z
    .object({ organization_wide: organization_wide.optional() })
    .meta({ id: 'CatalogEditFields' });
  return {
    draft: named(mount, draft, draft.and(ofDraft)),
    change: named(mount, change, change.and(ofChange)),
  };
}

/** Separates `organization_wide` from the family's own fields in a body. */
export function splitBody<Body>(
  { kind }: Pick<Mount, 'kind'>,
  body: Body,
): { fields: Body; catalogFields: Pick<Draft<object>, 'organization_wide'> } {
  if (kind !== 'organization') return { fields: body, catalogFields: {} };
  const { organization_wide, ...fields } = body as Body & { organization_wide?: boolean };
  return {
    fields: fields as Body,
    catalogFields: organization_wide === undefined ? {} : { organization_wide },
  };
}
