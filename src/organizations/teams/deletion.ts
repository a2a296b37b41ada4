import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { notConfirmed } from '../deletion/deletion.ts';
import type { TeamDeletion, TeamParams } from './schema.ts';
import { lockTeam, markTeamDeleted } from './store.ts';

/**
 * Deletes a team by its row: from the next request on it is absent, and so is everything below it.
 * Its seats and roles are removed in batches.
 */
export function createTeamDeletion({
  authz,
  removeSoon,
}: Pick<OrganizationsDependencies, 'authz'> & { removeSoon(): void }) {
  return async function remove(
    caller: Principal,
    { organization_id, team_id: id }: TeamParams,
    { confirm }: TeamDeletion,
    request: RequestFacts,
  ): Promise<void> {
    await authz.change({
      ...authorityOf(caller, request),
      reason: 'team.delete',
      writes: [{ kind: 'organization', id: organization_id }],
      objects: [],
      targets: [{ type: 'team', id }],
      async work(transaction) {
        const team = await lockTeam(transaction, { id, organization_id });
        if (team === null) throw absent('deleted meanwhile');
        if (confirm.trim() !== team.name) throw notConfirmed('team');
        await markTeamDeleted(transaction, id);
        return team;
      },
      detail: (team) => ({ before: team }),
    });
    removeSoon();
  };
}
