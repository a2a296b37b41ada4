import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { DirectoryChanges } from '../../organizations/organizations.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { TeamName } from '../../policies/item-name.ts';
import { groupNameTaken } from './rules.ts';
import { teamNamesFor } from './team-name.ts';

/** Creates the function that finds the best name for the team of a group, which no other team has. */
export const createTeamNameChoice =
  (pool: Queryable, { isTeamNamed }: Pick<DirectoryChanges, 'isTeamNamed'>) =>
  async (
    organization_id: string,
    display_name: string,
    /** The team of the group. */
    except: string | null,
  ): Promise<TeamName> => {
    for (const name of teamNamesFor(display_name))
      if (!(await isTeamNamed(pool, { organization_id, name, except }))) return name;
    throw groupNameTaken();
  };

/** Runs a change of a team; if another team got the name meanwhile, it is chosen again. */
export async function withChosenName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error) && error.code === 'name_taken') throw new ConcurrentUpdate();
    throw error;
  }
}
