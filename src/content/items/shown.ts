import { z } from 'zod';
import { addressOf, prefixOf } from '../spaces/prefix.ts';
import type { Mount } from '../spaces/mount.ts';
import type { Space } from '../spaces/space.ts';
import type { Draft, ItemFamily } from './kind.ts';
import type { ItemRecord } from './records.ts';

/** Fields that items have in an organization, in addition to those in a personal space. */
const organizationFields = {
  space: z.string().describe('`me`, `organization` or the name of a team.'),
  qualified_name: z.string().describe('The item’s name over MCP; for a resource, its URI.'),
};
const fieldsInCatalog = {
  ...organizationFields,
  organization_wide: z
    .boolean()
    .describe(
      'Whether all credentials of the organization can access the item, or only those of teams whose policies allow it.',
    ),
};

/** Adds `space` and `qualified_name` to an item of an organization. */
export function withSpace(
  space: Space,
  { family, nameField }: Pick<ItemFamily, 'family' | 'nameField'>,
  record: ItemRecord,
): ItemRecord {
  if (space.kind === 'personal') return record;
  const name = String(record[nameField]);
  const qualified_name = addressOf(prefixOf(space), { family, name });
  return { ...record, space: nameOf(space), qualified_name };
}

function nameOf(space: Exclude<Space, { kind: 'personal' }>): string {
  if (space.kind === 'team') return space.name;
  return space.kind === 'member' ? 'me' : 'organization';
}

/** Returns the schema of a record with the fields that `withSpace` adds. */
export function schemaWithSpace({ kind }: Pick<Mount, 'kind'>, record: z.ZodType): z.ZodType {
  if (kind === 'personal') return record;
  return extendRecord(record, kind === 'organization' ? fieldsInCatalog : organizationFields);
}

/** Returns the schema of a record of any space, with the fields that `withSpace` may add. */
export const schemaOfAnySpace = (record: z.ZodType): z.ZodType =>
  extendRecord(record, z.object(fieldsInCatalog).partial().shape);

function extendRecord(record: z.ZodType, fields: z.ZodRawShape): z.ZodType {
  if (record instanceof z.ZodObject) return record.extend(fields);
  if (!(record instanceof z.ZodDiscriminatedUnion))
    throw new TypeError('The schema of a record must be an object or a union of objects.');
  const [first, ...rest] = (record.options as z.ZodObject[]).map((option) => option.extend(fields));
  return z.discriminatedUnion(record.def.discriminator, [first!, ...rest]);
}

/** Returns the schemas of the request bodies that create and change items of a mount. */
export function bodySchemas({ kind }: Pick<Mount, 'kind'>, family: ItemFamily) {
  if (kind !== 'organization') return { draft: family.draft, change: family.change };
  const { organization_wide } = fieldsInCatalog;
  return {
    draft: family.draft.and(z.object({ organization_wide: organization_wide.default(false) })),
    change: family.change.and(z.object({ organization_wide: organization_wide.optional() })),
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
