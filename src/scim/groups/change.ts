import type { Transaction } from '../../platform/postgres/database.ts';
import { authorityOf } from '../request.ts';
import type { ScimRequest } from '../request.ts';
import type { GroupEdit } from './edit.ts';
import type { GroupsDependencies } from './dependencies.ts';
import { createMemberChanges } from './members.ts';
import { groupNameTaken } from './rules.ts';
import { updateGroup } from './store.ts';
import type { GroupKey, GroupRow } from './store.ts';
import { createTeamNameChoice, withChosenName } from './team-name-choice.ts';

/** Creates the function that renames a group, with its team, and changes its members. */
export function createGroupChange(dependencies: GroupsDependencies) {
  const { database, authz, members: directory } = dependencies;
  const members = createMemberChanges(dependencies);
  const chooseName = createTeamNameChoice(database.pool, directory);

  return async function change(
    request: ScimRequest,
    { key, group }: { key: GroupKey; group: GroupRow },
    edit: GroupEdit,
  ): Promise<void> {
    const { display_name = group.display_name, external_id = group.external_id } = edit;
    await members.require(key, edit.members);
    const save = async (transaction: Transaction) => {
      if (!(await updateGroup(transaction, key, { display_name, external_id })))
        throw groupNameTaken();
    };
    if (display_name !== group.display_name) {
      const name = await chooseName(key.organization_id, display_name, key.team_id);
      const fields = { name, title: display_name };
      await withChosenName(() => directory.updateTeam(authorityOf(request), key, fields, save));
    } else if (external_id !== group.external_id)
      await authz.edit({
        ...authorityOf(request),
        reason: 'scim_group.update',
        writes: [{ kind: 'organization', id: key.organization_id }],
        targets: [{ type: 'team', id: key.team_id }],
        work: save,
      });
    await members.change(request, key, edit.members);
  };
}
