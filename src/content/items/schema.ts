import { z } from 'zod';
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

export const ItemParams = z.object({ id: ItemId });
export const VersionParams = ItemParams.extend({
  version: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/)
    .transform(Number),
});

/** Fields of every item besides its content. */
export const commonFields = {
  id: z.guid(),
  version: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** An item that a key's policy can name. */
export const Scopable = z.object({ id: z.guid(), name: z.string() });

/** A version in the history, which is sorted newest first: the first one is the active version. */
export const VersionRecord = z.object({
  version: z.int(),
  name: z.string(),
  created_at: z.iso.datetime(),
  actor: z.object({ kind: z.string(), id: z.guid().nullable() }),
});
export type VersionRecord = z.infer<typeof VersionRecord>;
