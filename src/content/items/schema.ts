import { z } from 'zod';
import { HIDING } from '../../platform/text/invisible.ts';
import { ItemId } from '../../policies/policy.ts';

/** The kinds of things people write for their agents; `tool` is a custom one. */
export const families = ['tool', 'prompt', 'resource', 'agent'] as const;
export type Family = (typeof families)[number];

/** 1–64 of `a-z 0-9 _ -`, as clients and model APIs take it. */
export const PartName = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, { message: '1 to 64 of a-z, 0-9, _ and -.' });

/** The name of a tool, prompt or agent. Without `__`: it will separate a team from a name. */
export const ItemName = PartName.refine((name) => !name.includes('__'), {
  message: 'Must not contain `__`.',
});

// Line ends and tabs are the controls that a text may have.
const UNSEEN = new RegExp(`[^\\P{Cc}\\t\\n\\r]|[${HIDING}]`, 'u');

export const hasUnseen = (text: string): boolean => UNSEEN.test(text);

/** One line or more that people and models read. */
export const Text = (most: number) =>
  z
    .string()
    .max(most, { message: `At most ${most} characters.` })
    .refine((text) => !hasUnseen(text), { message: 'No invisible characters.' });

export const Title = Text(200);
export const Description = Text(2_000);

export const ItemParams = z.object({ id: ItemId });
export const VersionParams = ItemParams.extend({
  version: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/)
    .transform(Number),
});

/** What every item has besides its content. */
export const itemFacts = {
  id: z.guid(),
  version: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** An item as a key's policy may name it. */
export const Scopable = z.object({ id: z.guid(), name: z.string() });

/** A version in the history, newest first; the first is the active one. */
export const VersionRecord = z.object({
  version: z.int(),
  name: z.string(),
  created_at: z.iso.datetime(),
  actor: z.object({ kind: z.string(), id: z.guid().nullable() }),
});
export type VersionRecord = z.infer<typeof VersionRecord>;
