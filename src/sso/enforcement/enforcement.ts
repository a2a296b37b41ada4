import type { Principal, SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { forbidden, unprocessable } from '../../platform/errors/refusal.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { editOf, requireOrganization } from '../change.ts';
import type { Connections } from '../connections/connections.ts';
import type { SsoDependencies } from '../dependencies.ts';
import type { Domains } from '../domains/domains.ts';
import { listDomains } from '../domains/store.ts';
import { requirePlan } from '../refusals.ts';
import { hasRecentTest } from '../testing/store.ts';
import type { SsoEdit, SsoRecord } from './schema.ts';
import { isEnforced, listBoundMembers, setEnforced } from './store.ts';

type EnforcementDependencies = Pick<
  SsoDependencies,
  'database' | 'authz' | 'accounts' | 'organizations'
> & {
  connections: Connections;
  domains: Domains;
};

/** Ends the sessions of the members who must sign in through SSO from now on. */
export const createEndSessions =
  ({ accounts }: Pick<SsoDependencies, 'accounts'>) =>
  async (transaction: Transaction, organization_id: string): Promise<void> =>
    accounts.endAllSessions(transaction, await listBoundMembers(transaction, organization_id));

/** Single sign-on of an organization as a whole, and whether its members must use it. */
export function createEnforcement(dependencies: EnforcementDependencies) {
  const { database, authz, organizations, connections, domains } = dependencies;
  const endSessions = createEndSessions(dependencies);

  async function get({ organization }: Principal, id: string): Promise<SsoRecord> {
    return {
      available: organization?.plan === 'enterprise',
      enforced: await isEnforced(database.pool, id),
      connections: (await connections.list(id)).data,
      domains: (await domains.list(id)).data,
    };
  }

  /** Throws 422 unless a domain is verified and the caller has just tested a connection. */
  async function requireTested(
    db: Queryable,
    { person }: SessionPrincipal,
    organization_id: string,
  ): Promise<void> {
    const verified = (await listDomains(db, organization_id)).some(
      ({ verified_at }) => verified_at !== null,
    );
    const isTested = await hasRecentTest(db, { organization_id, account_id: person });
    if (!verified || !isTested) throw notTested();
  }

  return {
    get,
    async update(caller: SessionPrincipal, id: string, edit: SsoEdit, request: RequestFacts) {
      requirePlan(caller);
      const { enforced } = edit;
      const before = await isEnforced(database.pool, id);
      if (enforced === undefined || enforced === before) return get(caller, id);
      if (enforced && !(await organizations.joinGrants.isAdmin(caller))) throw mustBeAdmin();
      await authz.edit({
        ...editOf(caller, id, request),
        reason: 'sso.update',
        async work(transaction) {
          await requireOrganization(transaction, id);
          if (enforced) await requireTested(transaction, caller, id);
          await setEnforced(transaction, id, enforced);
          if (enforced) await endSessions(transaction, id);
        },
        detail: () => ({ before: { enforced: before }, after: { enforced } }),
      });
      return get(caller, id);
    },
  };
}
export type Enforcement = ReturnType<typeof createEnforcement>;

const mustBeAdmin = () =>
  forbidden(
    'permission_denied',
    'Enforcing single sign-on ends other ways to sign in, so it requires a session with every permission of an Admin.',
  );

const notTested = () =>
  unprocessable(
    'sso_not_tested',
    'Verify a domain, and test a connection yourself within the hour before you enforce single sign-on.',
    { detail: { pointer: '/enforced' } },
  );
