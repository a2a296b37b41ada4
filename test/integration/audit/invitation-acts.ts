import type { Action } from '../../../src/caller/actions.ts';
import { invite } from '../../support/people/invitations.ts';
import { createOrganization, MEMBER } from '../../support/people/organizations.ts';
import { newEmail } from '../../support/people/people.ts';
import { byAda } from './action-context.ts';
import type { PrepareAction, ActionContext } from './action-context.ts';
import { organizationScope } from './organization-acts.ts';

/** Creates an organization for Ada, with a pending invitation. */
async function withInvitation(context: ActionContext) {
  const { id } = await createOrganization(context.ada);
  const { body: invitation } = await invite(context.ada, id, newEmail());
  return {
    path: `/api/organizations/${id}/invitations/${invitation.id}`,
    scopes: [organizationScope(id)],
    target: [{ type: 'invitation', id: invitation.id }],
    invitationDetail: { invited_by: context.ada.account_id, role_ids: [MEMBER], teams: [] },
  };
}

/** The audited actions on invitations. */
export const invitationActs: Partial<Record<Action, PrepareAction>> = {
  'invitation.create': async (context) => {
    const { id } = await createOrganization(context.ada);
    return {
      ask: () => invite(context.ada, id, newEmail()),
      expected: ({ body }) => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'invitation', id: (body as { id: string }).id }],
        detail: { after: { invited_by: context.ada.account_id, role_ids: [MEMBER], teams: [] } },
      }),
    };
  },
  'invitation.resend': async (context) => {
    const { path, scopes, target, invitationDetail } = await withInvitation(context);
    return {
      ask: () => byAda(context, { method: 'POST', path: `${path}/resend` }),
      expected: () => ({
        scopes,
        target,
        detail: { before: invitationDetail, after: invitationDetail },
      }),
    };
  },
  'invitation.revoke': async (context) => {
    const { path, scopes, target, invitationDetail } = await withInvitation(context);
    return {
      ask: () => byAda(context, { method: 'DELETE', path }),
      expected: () => ({ scopes, target, detail: { before: invitationDetail } }),
    };
  },
};
