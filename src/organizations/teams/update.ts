import type { Authz } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { teamNameTaken } from './refusals.ts';
import type { TeamEdit, TeamParams } from './schema.ts';
import { lockTeam, updateTeam } from './store.ts';
import type { TeamFields } from './store.ts';

/** Creates the function that changes the name, title or description of a team. */
export function createTeamUpdate({ authz }: { authz: Pick<Authz, 'edit' | 'editContent'> }) {
  return async function update(
    authority: Authority,
    { organization_id, team_id: id }: TeamParams,
    edit: TeamEdit,
    also?: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    // Over MCP only the name shows, in the names of the team's items.
    const runEdit = edit.name === undefined ? authz.edit : authz.editContent;
    await runEdit({
      ...authority,
      reason: 'team.update',
      writes: [{ kind: 'organization', id: organization_id }],
      targets: [{ type: 'team', id }],
      async work(transaction) {
        const before = await lockTeam(transaction, { id, organization_id });
        if (before === null) throw absent('deleted concurrently');
        const after = applyEdit(before, edit);
        if (!(await updateTeam(transaction, { id, organization_id }, after))) throw teamNameTaken();
        await also?.(transaction);
        return { before, after };
      },
      detail: (change) => change,
    });
  };
}

/** Returns the fields of a team after an edit, which keeps those that it does not have. */
export const applyEdit = (before: TeamFields, edit: TeamEdit): TeamFields => ({
  name: edit.name ?? before.name,
  title: edit.title ?? before.title,
  description: edit.description ?? before.description,
});
