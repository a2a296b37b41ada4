import { createRetry } from '../../authz/authz.ts';
import { authorityOf } from '../request.ts';
import type { ScimRequest } from '../request.ts';
import type { GroupDraft } from './edit.ts';
import type { GroupsDependencies } from './dependencies.ts';
import { createMemberChanges } from './members.ts';
import { groupNameTaken } from './rules.ts';
import { insertGroup } from './store.ts';
import { createTeamNameChoice, withChosenName } from './team-name-choice.ts';

/** The id of no team, for checking members before a team is created. */
const NO_TEAM = '00000000-0000-0000-0000-000000000000';
const MEMBERS_MS = 20_000;

/** Creates the function that creates a group with its team, and returns the id of both. */
export function createGroupCreation(dependencies: GroupsDependencies) {
  const { database, members: directory } = dependencies;
  const members = createMemberChanges(dependencies);
  const chooseName = createTeamNameChoice(database.pool, directory);
  const retry = createRetry();

  return async function create(request: ScimRequest, draft: GroupDraft): Promise<string> {
    const { id: organization_id } = request.directory.organization;
    const { display_name, external_id = null, members: steps } = draft;
    await members.require({ organization_id, team_id: NO_TEAM }, steps);
    const name = await chooseName(organization_id, display_name, null);
    const team_id = await withChosenName(() =>
      directory.createTeam(
        authorityOf(request),
        organization_id,
        { name, title: display_name, description: '' },
        async (transaction, { id }) => {
          const key = { organization_id, team_id: id };
          if (!(await insertGroup(transaction, key, { display_name, external_id })))
            throw groupNameTaken();
        },
      ),
    );
    // The group exists by now: only this step is decided again, not the creation.
    const addMembers = async () =>
      members.change(await request.refreshed(), { organization_id, team_id }, steps);
    await retry({
      ...{ attempt: addMembers, retry: addMembers },
      // The request may have a turn, which this step must not wait for.
      contended: null,
      until: performance.now() + MEMBERS_MS,
    });
    return team_id;
  };
}
