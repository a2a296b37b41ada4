import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import { permissionDenied } from '../../caller/refusals.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { absent, throwIfAny } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { readAddress } from '../../platform/text/address.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { MAX_PROBLEMS } from '../escalation.ts';
import type { EscalationGuard } from '../escalation.ts';
import { requireRoom } from '../members/join.ts';
import { alreadyMember } from '../members/rules.ts';
import { createRoleChoice } from '../roles/choice.ts';
import { lockOrganization } from '../store.ts';
import { alreadyInvited, detailOf, editOf, invitationEnded } from './rules.ts';
import type { InvitationDraft } from './schema.ts';
import { countOpen, findStanding, insertInvitation, renewInvitation } from './store.ts';
import type { InvitationKey, InvitationRow } from './store.ts';

export interface SendingDependencies extends OrganizationsDependencies {
  escalation: EscalationGuard;
}

/** Preconditions of an e-mail with an invitation. */
function createChecks(dependencies: SendingDependencies) {
  const { mail, plans, limitForm } = dependencies;
  const chooseRoles = createRoleChoice(dependencies);

  /** Throws 429 or 503 if no e-mail can be sent; call it before anything is looked up. */
  async function requireEmail(organization: string): Promise<void> {
    await limitForm('invitation', { organization });
    await mail.requireDelivery();
  }

  /** Throws 422 unless the caller may give these roles. */
  async function requireGivable(
    caller: Principal,
    { organization_id, role_ids }: { organization_id: string; role_ids: readonly string[] },
    at: string | null,
  ): Promise<void> {
    const chosen = await chooseRoles(caller, organization_id, { role_ids, held: [] }, at);
    throwIfAny(chosen.problems, MAX_PROBLEMS);
  }

  /** Locks the organization and throws 422 unless it has room for another invited person. */
  async function requirePlace(transaction: Transaction, organization_id: string): Promise<void> {
    if ((await lockOrganization(transaction, organization_id)) === null)
      throw absent('deleted meanwhile');
    const invited = await countOpen(transaction, organization_id);
    await requireRoom(transaction, plans, organization_id, invited);
  }

  return { requireEmail, requireGivable, requirePlace };
}

/** Sends invitations, in the name of a person who holds all that they give. */
export function createSending(dependencies: SendingDependencies) {
  const { database, authz, mail } = dependencies;
  const { requireEmail, requireGivable, requirePlace } = createChecks(dependencies);

  const enqueue = (transaction: Transaction, address: string, email_id: string) =>
    mail.enqueue(transaction, { kind: 'invitation', address, subject_id: email_id });

  return {
    async create(
      caller: Principal,
      organization_id: string,
      draft: InvitationDraft,
      request: RequestFacts,
    ): Promise<InvitationKey> {
      const email = readAddress(draft.email);
      const invited_by = inviterOf(caller);
      await requireEmail(organization_id);
      const standing = await findStanding(database.pool, { organization_id, email });
      if (standing.is_member) throw alreadyMember();
      if (standing.is_invited) throw alreadyInvited();
      const role_ids = [...new Set(draft.role_ids)];
      await requireGivable(caller, { organization_id, role_ids }, null);
      const [id, email_id] = [newId(), newId()];
      await authz.editContent({
        ...editOf({ id, organization_id }, authorityOf(caller, request)),
        reason: 'invitation.create',
        async work(transaction) {
          await requirePlace(transaction, organization_id);
          const row = { id, organization_id, email, invited_by, email_id, role_ids };
          if (!(await insertInvitation(transaction, row))) throw alreadyInvited();
          await enqueue(transaction, email, email_id);
        },
        detail: () => ({ after: { invited_by, role_ids } }),
      });
      mail.wake();
      return { id, organization_id };
    },
    /** The new link gives the roles once more, so the caller must be able to give them. */
    async resend(
      caller: Principal,
      { organization_id, ...before }: InvitationRow & InvitationKey,
      request: RequestFacts,
    ): Promise<void> {
      const { id, email } = before;
      const invited_by = inviterOf(caller);
      await requireEmail(organization_id);
      const role_ids = before.roles.map((role) => role.id);
      await requireGivable(caller, { organization_id, role_ids }, '');
      const email_id = newId();
      await authz.editContent({
        ...editOf({ id, organization_id }, authorityOf(caller, request)),
        reason: 'invitation.resend',
        async work(transaction) {
          if (before.status === 'expired') await requirePlace(transaction, organization_id);
          if (!(await renewInvitation(transaction, { id, organization_id, email_id, invited_by })))
            throw invitationEnded();
          await enqueue(transaction, email, email_id);
        },
        detail: () => ({ before: detailOf(before), after: { invited_by, role_ids } }),
      });
      mail.wake();
    },
  };
}

/** Returns the person in whose name a caller invites, whose authority is measured again later. */
function inviterOf({ person }: Principal): string {
  if (person === null) throw permissionDenied('can_invite_organization_members');
  return person;
}
