import { authorityOf } from '../../caller/actor.ts';
import type { Principal, SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Composer } from '../../mail/mail.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { toRowsPage } from '../../platform/postgres/sorted-rows.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import type { Page } from '../../platform/http/pages.ts';
import { nameOf } from '../roles/kind.ts';
import { namedTeam, organizationRoles } from '../roles/system.ts';
import { createAcceptance } from './accept.ts';
import type { AcceptanceDependencies } from './accept.ts';
import { createInvitationEmails } from './emails.ts';
import { createRegistrations } from './registrations/registrations.ts';
import type { Registrations } from './registrations/registrations.ts';
import { detailOf, editOf, invitationEnded } from './rules.ts';
import type {
  InvitationDraft,
  InvitationParams,
  InvitationPreview,
  InvitationRecord,
  SentInvitation,
} from './schema.ts';
import { createSending } from './send.ts';
import type { SendingDependencies, SentKey } from './send.ts';
import { findInvitation, listInvitations, revokeInvitation } from './store.ts';
import type { InvitationRow } from './store.ts';

/** Operations on invitations to organizations, which are sent by e-mail. */
export interface Invitations {
  list(organization_id: string, query: ListQuery): Promise<Page<InvitationRecord>>;
  /** Throws 404 unless the organization has the invitation. */
  require(params: InvitationParams): Promise<unknown>;
  /** Invites an address; the response does not reveal whether it has an account. */
  create(
    caller: Principal,
    organization_id: string,
    draft: InvitationDraft,
    request: RequestFacts,
  ): Promise<SentInvitation>;
  /**
   * Sends a new link, which replaces the old one; the caller becomes the inviter. Changes nothing
   * if no e-mail can be sent to the address now.
   */
  resend(
    caller: Principal,
    params: InvitationParams,
    request: RequestFacts,
  ): Promise<SentInvitation>;
  revoke(caller: Principal, params: InvitationParams, request: RequestFacts): Promise<void>;
  /** Returns what the holder of a link sees before joining; throws 422 if it has ended. */
  preview(token: string): Promise<InvitationPreview>;
  /** Makes the caller a member; returns the organization's id. */
  accept(caller: SessionPrincipal, token: string, request: RequestFacts): Promise<string>;
  /** Lets people who register through an invitation join its organization. */
  registrations: Registrations;
  /** E-mail composers of this module by job kind, for `mail.start`. */
  composers: Readonly<Record<string, Composer>>;
}

export function createInvitations(
  dependencies: SendingDependencies & AcceptanceDependencies,
): Invitations {
  const { pool } = dependencies.database;
  const send = createSending(dependencies);
  const acceptance = createAcceptance(dependencies);

  async function get({ organization_id, invitation_id: id }: InvitationParams) {
    const row = await findInvitation(pool, { id, organization_id });
    if (row === null) throw absent('no such invitation');
    return row;
  }

  return {
    async list(organization_id, query) {
      const rows = await listInvitations(pool, organization_id, query);
      const { data, next_cursor } = toRowsPage(rows, query);
      return { data: data.map(recordOf), next_cursor };
    },
    require: get,
    async create(caller, organization_id, draft, request) {
      const { id, sent } = await request.once<SentKey>((save) =>
        send.create(caller, { organization_id, draft }, request, save),
      );
      return { ...recordOf(await get({ organization_id, invitation_id: id })), sent };
    },
    async resend(caller, params, request) {
      const { organization_id } = params;
      const before = { ...(await get(params)), organization_id };
      const { sent } = await send.resend(caller, before, request);
      return { ...recordOf(await get(params)), sent };
    },
    async revoke(caller, params, request) {
      const { organization_id, invitation_id: id } = params;
      const before = detailOf(await get(params));
      await dependencies.authz.edit({
        ...editOf({ id, organization_id }, authorityOf(caller, request)),
        reason: 'invitation.revoke',
        async work(transaction) {
          if (!(await revokeInvitation(transaction, { id, organization_id })))
            throw invitationEnded();
        },
        detail: () => ({ before }),
      });
    },
    preview: acceptance.preview,
    accept: acceptance.accept,
    registrations: createRegistrations({ ...dependencies, ...acceptance }),
    composers: createInvitationEmails(dependencies),
  };
}

function recordOf({ roles, teams, ...row }: InvitationRow): InvitationRecord {
  return {
    ...row,
    roles: roles.map(organizationRoles.resolve).map(nameOf),
    teams: teams.map(namedTeam),
  };
}
