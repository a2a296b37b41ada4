import { z } from 'zod';
import { Reference, References } from '../../platform/http/reference.ts';
import { wholeNumber } from '../../platform/http/whole-number.ts';
import { visibleText } from '../../platform/text/visible-text.ts';
import { ItemId } from '../../policies/policy.ts';

/** The kinds of user-defined items; `tool` is a custom tool. */
export const families = ['tool', 'prompt', 'resource', 'agent'] as const;
export type Family = (typeof families)[number];

export { hasInvisibleCharacters } from '../../platform/text/visible-text.ts';

/** Text of one or more lines for people and models. */
export const Text = visibleText;

export const Title = Text(200);
export const Description = Text(2_000);

const MAX_VERSION = 999_999_999;

export const ItemParams = z.object({
  id: ItemId.describe('Id of the item.').meta({ parameter: 'item_id' }),
});
export const VersionParams = ItemParams.extend({
  version: wholeNumber(MAX_VERSION, {
    description: 'Number of the version; restoring it saves its content as a new version.',
  }).meta({ parameter: 'version_number' }),
});

/** Fields of every item besides its content. */
export const commonFields = {
  id: z.guid(),
  version: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** Since when an item of an upstream is hidden from agents, because its description changed. */
export const Quarantine = z.object({ held_at: z.iso.datetime() }).meta({ id: 'Quarantine' });

const KeyUse = Reference.extend({
  organization_id: z.guid().nullable().describe('The organization that owns the key.'),
  as: z.array(z.enum(['policy', 'default_agent'])).describe('How the key names the item.'),
}).meta({ id: 'KeyUse' });
export type KeyUse = z.infer<typeof KeyUse>;

/** Keys, teams and agents that use an item; those the viewer may not view are not counted either. */
export const ItemUses = z
  .object({
    keys: z
      .array(KeyUse)
      .describe(
        'In a session, your own keys; with the permission to view them, keys of the organization. The newest 200 that name the item.',
      ),
    teams: References.describe('Teams whose policy lists the item.'),
    agents: z
      .array(Reference)
      .describe(
        'Agent definitions of the same space with a condition that names the item. The first 200 by name.',
      ),
    counts: z.object({ keys: z.int(), teams: z.int(), agents: z.int() }),
  })
  .meta({ id: 'ItemUses', description: 'Only what you may view.' });
export type ItemUses = z.infer<typeof ItemUses>;

/** A version in the history, which is sorted newest first: the first one is the active version. */
export const VersionRecord = z
  .object({
    version: z.int(),
    name: z.string(),
    created_at: z.iso.datetime(),
    actor: z.object({ kind: z.string(), id: z.guid().nullable() }),
  })
  .meta({ id: 'Version', description: 'The newest version is the active one.' });
export type VersionRecord = z.infer<typeof VersionRecord>;
/**
 * Limits the entries of a record. They are counted before any is parsed, since a body can have
 * tens of thousands.
 */
export const fewEntries = <Record extends z.ZodType>(
  record: Record,
  max: number,
  what = 'entries',
) =>
  z.preprocess((sent, context) => {
    if (typeof sent === 'object' && sent !== null && Object.keys(sent).length > max)
      context.addIssue({ code: 'custom', message: `must have at most ${max} ${what}` });
    return sent;
  }, record);
