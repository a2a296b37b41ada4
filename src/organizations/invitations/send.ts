import { authorityOf } from '../../caller/actor.ts';
import type { Save } from '../../caller/once.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { absent, forbidden, throwIfProblems } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { readAddress } from '../../platform/text/address.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import { requireRoomForMembers } from '../members/join.ts';
import { alreadyMember } from '../members/rules.ts';
import { createRoleChoice } from '../roles/choice.ts';
import { organizationRoles } from '../roles/system.ts';
import { lockOrganization } from '../store.ts';
import { alreadyInvited, detailOf, editOf, idsOf, invitationEnded } from './rules.ts';
import type { InvitationDraft } from './schema.ts';
import type { SeatGuard } from './seats/guard.ts';
import {
  countOpenInvitations,
  findAddressStatus,
  insertInvitation,
  renewInvitation,
} from './store.ts';
import type { InvitationKey, InvitationRow, NewInvitation } from './store.ts';

export interface SendingDependencies extends OrganizationsDependencies {
  grants: Grants;
  seatGuard: SeatGuard;
}

/** Creates the checks made before an invitation is sent. */
function createChecks(dependencies: SendingDependencies) {
  const { mail, plans, limitForm, seatGuard } = dependencies;
  const chooseRoles = createRoleChoice({ ...dependencies, kind: organizationRoles });

  /** Throws 429 or 503 if no e-mail can be sent; call it before anything is looked up. */
  async function requireEmail(organization: string, account: string): Promise<void> {
    await limitForm('invitation', { organization, account });
    await mail.requireDelivery();
  }

  /** Throws 422 unless the caller may grant these roles and seats. */
  async function requireGrantable(
    caller: Principal,
    {
      organization_id,
      role_ids,
      seats,
    }: Pick<NewInvitation, 'organization_id' | 'role_ids' | 'seats'>,
    pointer: string | null,
  ): Promise<void> {
    const chosen = await chooseRoles(
      caller,
      { organization_id },
      { role_ids, held: [] },
      pointer === null ? undefined : () => pointer,
    );
    const inTeams = await seatGuard.problems(caller, organization_id, seats, pointer);
    throwIfProblems([...chosen.problems, ...inTeams]);
  }

  /** Locks the organization and throws 422 unless it has room for another invited person. */
  async function requireRoomForInvitation(
    transaction: Transaction,
    organization_id: string,
  ): Promise<void> {
    if ((await lockOrganization(transaction, organization_id)) === null)
      throw absent('deleted concurrently');
    const invited = await countOpenInvitations(transaction, organization_id);
    await requireRoomForMembers(transaction, plans, organization_id, invited);
  }

  return { requireEmail, requireGrantable, requireRoomForInvitation };
}

/** Sends invitations on behalf of a person who holds everything that they grant. */
export function createSending(dependencies: SendingDependencies) {
  const { database, authz, mail } = dependencies;
  const { requireEmail, requireGrantable, requireRoomForInvitation } = createChecks(dependencies);
  const enqueue = createEnqueue(dependencies);

  return {
    async create(
      caller: Principal,
      { organization_id, draft }: { organization_id: string; draft: InvitationDraft },
      request: RequestFacts,
      save: Save<SentKey>,
    ): Promise<SentKey> {
      const email = readAddress(draft.email);
      const invited_by = inviterOf(caller);
      await requireEmail(organization_id, invited_by);
      const status = await findAddressStatus(database.pool, { organization_id, email });
      if (status.is_member) throw alreadyMember();
      if (status.is_invited) throw alreadyInvited();
      const role_ids = [...new Set(draft.role_ids)];
      const seats = draft.teams.map((seat) => ({ ...seat, role_ids: [...new Set(seat.role_ids)] }));
      await requireGrantable(caller, { organization_id, role_ids, seats }, null);
      const [id, email_id] = [newId(), newId()];
      const invitation = await authz.edit({
        ...editOf({ id, organization_id }, authorityOf(caller, request)),
        reason: 'invitation.create',
        async work(transaction) {
          await requireRoomForInvitation(transaction, organization_id);
          const row = { id, organization_id, email, invited_by, email_id, role_ids, seats };
          if (!(await insertInvitation(transaction, row))) throw alreadyInvited();
          return save(transaction, { id, sent: await enqueue(transaction, row) });
        },
        detail: () => ({ after: { invited_by, role_ids, teams: seats } }),
      });
      mail.wake();
      return invitation;
    },
    /**
     * Sends a new link. It grants the same again, so the caller must be able to grant it all. If the
     * e-mail cannot be sent now, nothing changes: the last link still works.
     */
    async resend(
      caller: Principal,
      { organization_id, ...before }: InvitationRow & InvitationKey,
      request: RequestFacts,
    ): Promise<Sending> {
      const { id, email } = before;
      const invited_by = inviterOf(caller);
      await requireEmail(organization_id, invited_by);
      const { role_ids, teams: seats } = idsOf(before);
      await requireGrantable(caller, { organization_id, role_ids, seats }, '');
      const email_id = newId();
      const renewal = authz.edit({
        ...editOf({ id, organization_id }, authorityOf(caller, request)),
        reason: 'invitation.resend',
        async work(transaction) {
          if (before.status === 'expired')
            await requireRoomForInvitation(transaction, organization_id);
          if (!(await renewInvitation(transaction, { id, organization_id, email_id, invited_by })))
            throw invitationEnded();
          if (!(await enqueue(transaction, { organization_id, invited_by, email, email_id })))
            throw new NotSent();
        },
        detail: () => ({ before: detailOf(before), after: { invited_by, role_ids, teams: seats } }),
      });
      const sent = await renewal.then(() => true).catch(falseIfNotSent);
      if (sent) mail.wake();
      return { sent };
    },
  };
}

/** Whether an e-mail was queued. */
interface Sending {
  sent: boolean;
}

export type SentKey = Pick<InvitationKey, 'id'> & Sending;

/**
 * To one address: from one organization, from one person, who may create and delete organizations,
 * and from all together, which is far more, so that no one can keep another's e-mails from an
 * address.
 */
const MAX_EMAILS_PER_HOUR = { from_organization: 6, from_account: 6, from_all: 60 };

type InvitationEmail = Pick<NewInvitation, 'organization_id' | 'invited_by' | 'email' | 'email_id'>;

/** Creates the function that queues an e-mail; it returns false if a cap is reached. */
const createEnqueue =
  ({ mail }: Pick<SendingDependencies, 'mail'>) =>
  (
    transaction: Transaction,
    { organization_id, invited_by, email, email_id }: InvitationEmail,
  ): Promise<boolean> => {
    const caps = {
      from_organization: { id: organization_id, limit: MAX_EMAILS_PER_HOUR.from_organization },
      from_account: { id: invited_by, limit: MAX_EMAILS_PER_HOUR.from_account },
      from_all: MAX_EMAILS_PER_HOUR.from_all,
    };
    const job = { kind: 'invitation', address: email, subject_id: email_id };
    return mail.enqueueWithin(caps, transaction, job);
  };

/** Undoes a renewal whose e-mail cannot be sent. */
class NotSent extends Error {}

function falseIfNotSent(error: unknown): false {
  if (error instanceof NotSent) return false;
  throw error;
}

/** Returns the person in whose name a caller invites; acceptance checks their authority again. */
function inviterOf({ person }: Principal): string {
  if (person === null)
    throw forbidden(
      'permission_denied',
      'A key of the organization cannot invite. Invite from a session, or with a key of a person.',
      { detail: { permission: 'can_invite_organization_members' } },
    );
  return person;
}
