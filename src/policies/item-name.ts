import { z } from 'zod';

/** 1 to `max` characters of `a-z 0-9 _ -`, which clients and model APIs accept. */
const nameOf = (max: number) =>
  z.string().regex(new RegExp(`^[a-z0-9_-]{1,${max}}$`), {
    message: `must be 1 to ${max} characters of a-z, 0-9, _ and -`,
  });

/** A name without `__`, which separates a team from a name. */
const undivided = (name: ReturnType<typeof nameOf>) =>
  name.refine((text) => !text.includes('__'), { message: 'must not contain `__`' });

export const MAX_NAME = 64;

export const PartName = nameOf(MAX_NAME);

/** The name of a tool, prompt or agent. */
export const ItemName = undivided(PartName);

/**
 * The name of a team, which prefixes the names of its items. It may not end with `_`: tool `b` of
 * team `a_` and tool `_b` of team `a` would get the same name.
 */
export const TeamName = undivided(PartName)
  .refine((name) => !name.endsWith('_'), { message: 'must not end with `_`' })
  .refine((name) => !RESERVED_TEAMS.includes(name), { message: 'must not be a reserved name' })
  .brand('TeamName');
export type TeamName = z.infer<typeof TeamName>;

// Used in place of a team's name for spaces that do not belong to a team.
const RESERVED_TEAMS = ['me', 'organization'];
