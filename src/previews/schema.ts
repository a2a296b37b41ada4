import { z } from 'zod';
import { ItemCounts } from '../policies/item-counts.ts';
import { Preview, VisibleItems } from '../visibility/schema.ts';

/** Credentials and members that one preview examines, in the order in which they are listed. */
export const MAX_EXAMINED = 200;
/** Maximum length of each list of items; `counts` has the totals. */
export const MAX_ITEMS = 50;

const SubjectKind = z.enum(['member', 'api_key', 'org_key', 'connection', 'machine']);

/** A member or a credential that a change affects, with what it would gain and lose. */
const AffectedSubject = z
  .object({
    subject: z.object({
      kind: SubjectKind,
      id: z.guid(),
      name: z.string().nullable(),
    }),
    account_id: z.guid().nullable(),
    gained: VisibleItems,
    lost: VisibleItems,
    counts: z.object({ gained: ItemCounts, lost: ItemCounts }),
    permissions_gained: z.array(z.string()),
    permissions_lost: z.array(z.string()),
  })
  .meta({ id: 'AffectedSubject' });
export type AffectedSubject = z.infer<typeof AffectedSubject>;

/** Who gains and loses what by a change, as far as the viewer may view it; nothing is saved. */
export const ChangePreview = z
  .object({
    affected: z.array(AffectedSubject),
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
