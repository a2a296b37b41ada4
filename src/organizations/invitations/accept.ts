import { authorityOf } from '../../caller/actor.ts';
import type { Authority } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import { readMember } from '../members/principal.ts';
import type { MemberPrincipal } from '../members/principal.ts';
import { alreadyMember } from '../members/rules.ts';
import { organizationRoles } from '../roles/system.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { EscalationGuard } from '../escalation.ts';
import type { createJoin } from '../members/join.ts';
import { findInvitedRoles } from './roles/store.ts';
import { forAnotherAddress, organizationSuspended, invitationInvalid } from './rules.ts';
import type { InvitationPreview } from './schema.ts';
import { consumeInvitation, findByLink, findStanding } from './store.ts';
import type { OpenInvitation } from './store.ts';

export interface AcceptanceDependencies extends Pick<OrganizationsDependencies, 'database'> {
  escalation: EscalationGuard;
  join: ReturnType<typeof createJoin>;
}

/** Accepts invitations. What one gives is measured again, by what its inviter holds now. */
export function createAcceptance({ database, escalation, join }: AcceptanceDependencies) {
  const { pool, hot } = database;

  async function find(token: string): Promise<OpenInvitation> {
    const invitation = await findByLink(pool, hashSecret(token));
    if (invitation === null) throw invitationInvalid();
    return invitation;
  }

  /** Returns the roles that the inviter may still give; throws 422 if that is not all of them. */
  async function requireGivable(invitation: OpenInvitation, inviter: MemberPrincipal) {
    // Read after the inviter's scopes: a role changed later fails the transaction.
    const roles = await findInvitedRoles(pool, invitation.id);
    if (roles === null || roles.length === 0) throw invitationInvalid();
    const granted = roles.map((role) => ({ pointer: '', content: organizationRoles.named(role) }));
    const mayInvite = await escalation.holds(inviter, 'members_invite');
    if (!mayInvite || (await escalation.problems(inviter, granted)).length > 0)
      throw invitationInvalid();
    return roles.map(({ id }) => id);
  }

  /** Makes an account a member by an open invitation, which `consume` ends for it or not. */
  async function admit(
    invitation: OpenInvitation,
    account_id: string,
    { actor, basis }: Authority,
    consume: (transaction: Transaction) => Promise<boolean>,
  ): Promise<void> {
    const { id, organization_id, invited_by } = invitation;
    const inviter = await readMember(hot, { organization_id, account_id: invited_by });
    if (inviter === null) throw invitationInvalid();
    if (inviter.organization.status === 'suspended') throw organizationSuspended();
    const role_ids = await requireGivable(invitation, inviter);
    await join(
      { organization_id, account_id, role_ids },
      { actor, basis: [...inviter.scopes, ...(basis ?? [])] },
      {
        invitation_id: id,
        async consume(transaction) {
          if (!(await consume(transaction))) throw invitationInvalid();
        },
      },
    );
  }

  return {
    admit,
    async preview(token: string): Promise<InvitationPreview> {
      const { organization_name, first_name, last_name, email, expires_at } = await find(token);
      return {
        organization: { name: organization_name },
        invited_by: { first_name, last_name },
        ...{ email, expires_at },
      };
    },
    async accept(caller: SessionPrincipal, token: string, request: RequestFacts): Promise<string> {
      const invitation = await find(token);
      const { organization_id, email } = invitation;
      if (email !== caller.email) throw forAnotherAddress();
      if ((await findStanding(pool, { organization_id, email })).is_member) {
        // Of concurrent requests, all but one find the link used.
        await find(token);
        throw alreadyMember();
      }
      const { id } = invitation;
      const consumed = { id, account_id: caller.person, hash: hashSecret(token) };
      await admit(invitation, caller.person, authorityOf(caller, request), (transaction) =>
        consumeInvitation(transaction, consumed),
      );
      return organization_id;
    },
  };
}
