import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { changeForDeletedTeam, isCovered } from '../credentials/team-changes.ts';
import type { TeamParams } from './schema.ts';
import { lockTeam, markTeamDeleted } from './store.ts';
import type { TeamFields } from './store.ts';

/**
 * Deletes a team by marking its row: from the next request on, every request for it gets a 404. Its
 * seats and roles are removed in batches.
 */
export function createTeamDeletion({
  database,
  authz,
  removeSoon,
}: Pick<OrganizationsDependencies, 'database' | 'authz'> & { removeSoon(): void }) {
  return async function remove(
    authority: Authority,
    { organization_id, team_id: id }: TeamParams,
    /** Throws unless the person confirmed that they delete this team. */
    confirm: (team: Pick<TeamFields, 'name'>) => void = () => {},
  ): Promise<void> {
    const services = await changeForDeletedTeam(database.pool, { id, organization_id });
    await authz.change({
      ...authority,
      reason: 'team.delete',
      // The organization's keys lose their seats now, people and their keys later, in batches.
      writes: [{ kind: 'organization', id: organization_id }, ...services.writes],
      objects: services.objects,
      targets: [{ type: 'team', id }],
      async work(transaction) {
        const team = await lockTeam(transaction, { id, organization_id });
        if (team === null) throw absent('deleted concurrently');
        confirm(team);
        const current = await changeForDeletedTeam(transaction, { id, organization_id });
        if (!isCovered(current.writes, services.writes)) throw new ConcurrentUpdate();
        await markTeamDeleted(transaction, id);
        return team;
      },
      detail: (team) => ({ before: team }),
    });
    removeSoon();
  };
}
