import { z } from 'zod';
import { ItemCounts } from '../policies/item-counts.ts';
import { Preview, VisibleItems } from '../visibility/schema.ts';

/** Credentials and members that one preview examines, in the order in which they are listed. */
export const MAX_EXAMINED = 200;
/** Maximum length of each list of items; `counts` has the totals. */
export const MAX_ITEMS = 50;

const SubjectKind = z.enum(['member', 'key', 'organization_key', 'connection', 'client']);

/** What a member or a credential gains or loses by a change. */
const AccessEffect = z
  .object({
    subject: z.object({
      kind: SubjectKind,
      id: z.guid().describe('Of a member, the id of the account.'),
      name: z.string().nullable(),
      account_id: z.guid().nullable().describe('The person; null if it acts for none.'),
    }),
    permissions: z.array(z.string()),
    items: VisibleItems,
    counts: ItemCounts.describe('Lists of items are cut; these are the totals.'),
  })
  .meta({ id: 'AccessEffect' });
export type AccessEffect = z.infer<typeof AccessEffect>;

/** Who gains and loses what by a change, as far as the viewer may view it; nothing is saved. */
export const ChangePreview = z
  .object({
    gained: z.array(AccessEffect),
    lost: z.array(AccessEffect),
    examined: z
      .int()
      .describe(`The first ${MAX_EXAMINED}, or fewer if time is short, were examined.`),
    total: z.int(),
    errors: Preview.shape.errors,
  })
  .meta({
    id: 'ChangePreview',
    description: 'Who would gain and lose what, as far as you may view it. Nothing is saved.',
  });
export type ChangePreview = z.infer<typeof ChangePreview>;
