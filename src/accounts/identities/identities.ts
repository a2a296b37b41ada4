import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Reauthentication, RequestFacts } from '../../caller/route.ts';
import type { Email, MailJob } from '../../mail/mail.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { pageOfList } from '../../platform/http/pages.ts';
import type { Page, PageQuery } from '../../platform/http/pages.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { AccountsParts } from '../dependencies.ts';
import { dropChanges } from '../email-change/store.ts';
import { passwordNeeded } from '../passwords/reauthentication.ts';
import { endSessionsExcept } from '../sessions/end-sessions.ts';
import type { CompleteSignIn } from '../sign-in/complete-sign-in.ts';
import { lockAccountBySession } from '../store.ts';
import { accountDeleted, requireSignInMethod } from '../refusals.ts';
import { createEndAccess } from '../sso-access/end-access.ts';
import { requireOwnProof } from '../sso-access/own-proof.ts';
import { createOrganizationSignIn } from './organization-sign-in.ts';
import { createProviderSignIn } from './provider-sign-in.ts';
import { createAttach } from './link.ts';
import type { Identity } from './schema.ts';
import {
  deleteIdentitiesOf,
  deleteIdentity,
  deleteIdentityAt,
  findNewIdentityEmail,
  hasIdentities,
  listIdentities,
} from './store.ts';

export interface IdentitiesParts extends AccountsParts {
  completeSignIn: CompleteSignIn;
  /** Returns the display name of a provider. */
  providerName(id: string): string;
}

/** Signs in with third-party identities; lists, links and unlinks them. */
export function createIdentities(parts: IdentitiesParts) {
  const { database, audit, mail, providerName } = parts;

  async function list(caller: SessionPrincipal, query: PageQuery): Promise<Page<Identity>> {
    const rows = await listIdentities(database.pool, caller.person);
    const records = rows.map((row) => ({ ...row, name: providerName(row.provider) }));
    return pageOfList(records, query);
  }

  /** Returns the provider of the identity; throws 404 if the account has no such identity. */
  async function requireIdentity({ person }: SessionPrincipal, id: string): Promise<string> {
    const rows = await listIdentities(database.pool, person);
    const provider = rows.find((row) => row.id === id)?.provider;
    if (provider === undefined) throw noSuchIdentity();
    return provider;
  }

  /** Unlinks an identity and ends the other sessions, since they may have been opened with it. */
  async function remove(
    caller: SessionPrincipal,
    id: string,
    reauthentication: Reauthentication,
    request: RequestFacts,
  ): Promise<void> {
    const { person: account_id, credential: session } = caller;
    const provider = await requireIdentity(caller, id);
    await database.transaction(async (transaction) => {
      const account = await lockAccountBySession(transaction, session.id);
      if (account === null) throw accountDeleted();
      if (account.password_hash !== reauthentication.password_hash) throw passwordNeeded();
      const added_at = await deleteIdentity(transaction, { id, account_id });
      if (added_at === null) throw noSuchIdentity();
      await requireOwnProof(transaction, caller, added_at);
      await requireSignInMethod(transaction, account_id, added_at);
      await endSessionsExcept(transaction, account_id, session.id);
      await dropChanges(transaction, account_id);
      await audit.record(transaction, {
        actor: actorOf(caller, request),
        action: 'identity.unlink',
        scope: { kind: 'account', id: account_id },
        units: [{ type: 'identity', id }],
        detail: { provider },
      });
    });
  }

  /** Composes the notice that a third-party identity was linked to the account. */
  async function composeLinkedNotice(
    transaction: Transaction,
    job: MailJob,
  ): Promise<Email | null> {
    const linked = await findNewIdentityEmail(transaction, job.subject_id!);
    if (linked === null) return null;
    const provider = providerName(linked.provider);
    return mail.templates.render('sign_in_linked', linked.locale, null, { provider });
  }

  return {
    signIn: createProviderSignIn(parts),
    signInThroughOrganization: createOrganizationSignIn(parts),
    /** Returns whether anyone is linked through the issuer. */
    existAt: (issuer: string) => hasIdentities(database.pool, issuer),
    /** Unlinks everyone who is linked through the issuer. What they added stays; see `endAccess`. */
    forget: deleteIdentitiesOf,
    /** Unlinks an account from the issuer, likewise; false if it is not linked. */
    forgetAccount: deleteIdentityAt,
    endAccess: createEndAccess(parts),
    attach: createAttach(parts),
    list,
    remove,
    composers: { sign_in_linked: composeLinkedNotice },
  };
}
export type Identities = ReturnType<typeof createIdentities>;

const noSuchIdentity = () => absent('this account has no such identity');
