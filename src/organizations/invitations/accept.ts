import { authorityOf } from '../../caller/actor.ts';
import type { Authority } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { hashSecret } from '../../platform/secrets.ts';
import { readMember } from '../members/principal.ts';
import type { MemberPrincipal } from '../members/principal.ts';
import { alreadyMember } from '../members/rules.ts';
import type { RoleContent } from '../roles/kind.ts';
import { organizationRoles } from '../roles/system.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import type { createJoin } from '../members/join.ts';
import { forAnotherAddress, idsOf, organizationSuspended, invitationInvalid } from './rules.ts';
import type { InvitationPreview } from './schema.ts';
import type { SeatGuard } from './seats/guard.ts';
import {
  consumeInvitation,
  findInvitationByLink,
  findGranted,
  findAddressStatus,
} from './store.ts';
import type { OpenInvitation } from './store.ts';

export interface AcceptanceDependencies extends Pick<OrganizationsDependencies, 'database'> {
  grants: Grants;
  seatGuard: SeatGuard;
  join: ReturnType<typeof createJoin>;
}

/** Accepts invitations, after checking again that the inviter may grant their roles and seats. */
export function createAcceptance(dependencies: AcceptanceDependencies) {
  const { database, grants, seatGuard, join } = dependencies;
  const { pool, authPool } = database;

  async function find(token: string): Promise<OpenInvitation> {
    const invitation = await findInvitationByLink(pool, hashSecret(token));
    if (invitation === null) throw invitationInvalid();
    return invitation;
  }

  /** Returns what the invitation grants; throws 422 unless the inviter may still grant all of it. */
  async function requireGrantable(invitation: OpenInvitation, inviter: MemberPrincipal) {
    // Read after the inviter's scopes: a role changed later fails the transaction.
    const given = await findGranted(pool, invitation.id);
    if (given === null || given.roles.length === 0) throw invitationInvalid();
    const { roles, teams } = given;
    const granted = roles.map(organizationRoles.resolve).map(withoutPointer);
    const place = { organization_id: invitation.organization_id };
    const isGrantable =
      (await grants.holds(inviter, 'members_invite', place)) &&
      (await grants.problems(inviter, granted, place)).length === 0 &&
      (await seatGuard.areGrantable(inviter, place.organization_id, teams));
    if (!isGrantable) throw invitationInvalid();
    return idsOf(given);
  }

  /**
   * Makes an account a member through an open invitation; throws 422 if `consume` returns false.
   */
  async function admit(
    invitation: OpenInvitation,
    account_id: string,
    { actor, basis }: Authority,
    consume: (transaction: Transaction) => Promise<boolean>,
  ): Promise<void> {
    const { id, organization_id, invited_by } = invitation;
    const inviter = await readMember(authPool, { organization_id, account_id: invited_by });
    if (inviter === null) throw invitationInvalid();
    if (inviter.organization.status === 'suspended') throw organizationSuspended();
    const { role_ids, teams: seats } = await requireGrantable(invitation, inviter);
    await join(
      { organization_id, account_id, role_ids, seats },
      { actor, basis: [...inviter.scopes, ...(basis ?? [])] },
      {
        target: { type: 'invitation', id },
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
      if ((await findAddressStatus(pool, { organization_id, email })).is_member) {
        // Throws if a concurrent request has used the link.
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

const withoutPointer = (content: RoleContent) => ({ pointer: '', content });
