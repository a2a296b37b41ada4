import type { Action } from '../../../src/caller/actions.ts';
import { invite } from '../../support/people/invitations.ts';
import { createOrganization, MEMBER } from '../../support/people/organizations.ts';
import { newEmail } from '../../support/people/people.ts';
import { byAda } from './acting.ts';
import type { PrepareAction, ActionContext } from './acting.ts';
import { organizationScope } from './organization-acts.ts';

/** Creates an organization of Ada's with a pending invitation. */
async function withInvitation(there: ActionContext) {
  const { id } = await createOrganization(there.ada);
  const { body: invitation } = await invite(there.ada, id, newEmail());
  return {
    path: `/api/organizations/${id}/invitations/${invitation.id}`,
    scopes: [organizationScope(id)],
    target: [{ type: 'invitation', id: invitation.id }],
    given: { invited_by: there.ada.account_id, role_ids: [MEMBER] },
  };
}

/** The audited actions on invitations. */
export const invitationActs: Partial<Record<Action, PrepareAction>> = {
  'invitation.create': async (there) => {
    const { id } = await createOrganization(there.ada);
    return {
      ask: () => invite(there.ada, id, newEmail()),
      expected: ({ body }) => ({
        scopes: [organizationScope(id)],
        target: [{ type: 'invitation', id: (body as { id: string }).id }],
        detail: { after: { invited_by: there.ada.account_id, role_ids: [MEMBER] } },
      }),
    };
  },
  'invitation.resend': async (there) => {
    const { path, scopes, target, given } = await withInvitation(there);
    return {
      ask: () => byAda(there, { method: 'POST', path: `${path}/resend` }),
      expected: () => ({ scopes, target, detail: { before: given, after: given } }),
    };
  },
  'invitation.revoke': async (there) => {
    const { path, scopes, target, given } = await withInvitation(there);
    return {
      ask: () => byAda(there, { method: 'DELETE', path }),
      expected: () => ({ scopes, target, detail: { before: given } }),
    };
  },
};
