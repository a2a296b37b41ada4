import { z } from 'zod';
import { HIDING } from '../../platform/text/invisible.ts';
import { ItemId } from '../../policies/policy.ts';

/** The kinds of user-defined items; `tool` is a custom tool. */
export const families = ['tool', 'prompt', 'resource', 'agent'] as const;
export type Family = (typeof families)[number];

/** 1–64 of `a-z 0-9 _ -`, the names that clients and model APIs accept. */
export const PartName = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, { message: 'must be 1 to 64 characters of a-z, 0-9, _ and -' });

/** The name of a tool, prompt or agent, without `__`, which separates a team from a name. */
export const ItemName = PartName.refine((name) => !name.includes('__'), {
  message: 'must not contain `__`',
});

const TEAM_CHARACTERS = 32;

/**
 * The name of a team, which prefixes the names of its items. It may not end with `_`: tool `b` of
 * team `a_` and tool `_b` of team `a` would get the same name.
 */
export const TeamName = ItemName.max(TEAM_CHARACTERS)
  .refine((name) => !name.endsWith('_'), { message: 'must not end with `_`' })
  .refine((name) => !RESERVED_TEAMS.includes(name), { message: 'must not be a reserved name' })
  .brand('TeamName');
export type TeamName = z.infer<typeof TeamName>;

// Used in the place of a team's name for spaces that do not belong to a team.
const RESERVED_TEAMS = ['me', 'organization'];

// Tabs and line ends are the only control characters allowed.
const UNSEEN = new RegExp(`[^\\P{Cc}\\t\\n\\r]|[${HIDING}]`, 'u');

export const hasUnseen = (text: string): boolean => UNSEEN.test(text);

/** Text of one or more lines for people and models. */
export const Text = (most: number) =>
  z
    .string()
    .max(most, { message: `must have at most ${most} characters` })
    .refine((text) => !hasUnseen(text), { message: 'must not contain invisible characters' });

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
export const itemFacts = {
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
