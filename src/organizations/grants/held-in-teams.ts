import type { Authz } from '../../authz/authz.ts';
import { teamSeatIn } from '../../caller/access.ts';
import type { Holder } from './requirements.ts';

/** Whether a relation is required in at least one of the teams, or in each of them. */
export type TeamsRequired = 'some' | 'every';

// One BatchCheck, which OpenFGA works on in parallel: more at once would only delay others.
const CHECKS_PER_ROUND = 50;

/** Creates the function that returns which of the relations the holder has in the teams. */
export const createHeldInTeams = ({ authz }: { authz: Pick<Authz, 'checkEach'> }) =>
  /**
   * Checks a few teams at a time, and only the relations that the earlier teams left open: a key can
   * be granted 44 of them in 50 teams. In no team, nothing is held.
   */
  async function heldInTeams(
    holder: Holder,
    team_ids: readonly string[],
    required: ReadonlyMap<string, TeamsRequired>,
  ): Promise<ReadonlySet<string>> {
    let open = [...required.keys()];
    for (let start = 0; start < team_ids.length && open.length > 0;) {
      const end = start + Math.max(1, Math.floor(CHECKS_PER_ROUND / open.length));
      const checks = team_ids
        .slice(start, end)
        .flatMap((team_id) =>
          open.map((relation) => ({ object: teamSeatIn(holder, { team_id })!, relation })),
        );
      const results = await authz.checkEach(holder, checks);
      const [found, missing] = [new Set<string>(), new Set<string>()];
      for (const [index, { relation }] of checks.entries())
        (results[index] === true ? found : missing).add(relation);
      // One team that has the relation decides `some`, one that lacks it `every`.
      open = open.filter((relation) =>
        required.get(relation) === 'some' ? !found.has(relation) : !missing.has(relation),
      );
      start = end;
    }
    const isOpen = new Set(open);
    const isHeld = (relation: string, teams: TeamsRequired) =>
      team_ids.length > 0 && isOpen.has(relation) === (teams === 'every');
    return new Set(
      [...required]
        .filter(([relation, teams]) => isHeld(relation, teams))
        .map(([relation]) => relation),
    );
  };
