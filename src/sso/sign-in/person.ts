import { isDeepStrictEqual } from 'node:util';
import { returnUrl, SignInRefused } from '../../accounts/providers/providers.ts';
import type { CallbackResult } from '../../accounts/providers/providers.ts';
import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { domainOf, normalizeAddress } from '../../platform/text/address.ts';
import { issuerOf } from '../connections/record.ts';
import { lockConnection } from '../connections/store.ts';
import type { ConnectionRow, SignInConnection } from '../connections/store.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { isVerifiedDomain } from '../domains/store.ts';
import { recordTest } from '../testing/store.ts';
import { createLinkGuard, requireMaySignIn } from './account-access.ts';
import { createMembership } from './membership.ts';
import type { Flow, SavedPerson } from './store.ts';

/** A verified response of an identity provider. */
export interface Asserted {
  /** The connection as it was when the response was verified. */
  connection: SignInConnection;
  person: SavedPerson;
  flow: Pick<Flow, 'return_path' | 'tested_by'>;
  request: RequestFacts;
}

type PersonDependencies = Pick<
  SsoDependencies,
  'database' | 'authz' | 'config' | 'accounts' | 'organizations'
>;

/**
 * Creates the function that completes a sign-in, or a test, with a verified response. It throws
 * `SignInRefused` if the person may not sign in through the connection.
 */
export function createAdmission(dependencies: PersonDependencies) {
  const { authz, config, accounts } = dependencies;
  const ensureMember = createMembership(dependencies);
  const requireMayLink = createLinkGuard(accounts);

  /** A test changes no account: it only shows that the connection works. */
  async function test(asserted: Asserted, account_id: string, domain: string): Promise<void> {
    const { connection, request } = asserted;
    await authz.edit({
      ...{ actor: personActor(account_id, request), basis: null, reason: 'sso_connection.test' },
      writes: [{ kind: 'organization', id: connection.organization_id }],
      targets: [{ type: 'sso_connection', id: connection.id }],
      async work(transaction) {
        await approve(transaction, connection, domain);
        await recordTest(transaction, { connection_id: connection.id, account_id });
      },
    });
  }

  return async function admit(asserted: Asserted): Promise<CallbackResult> {
    const { connection, person, flow, request } = asserted;
    const { id, organization_id } = connection;
    const email = normalizeAddress(person.email ?? '');
    if (email === null) throw new SignInRefused('outside_domain');
    const location = returnUrl(flow.return_path, config);
    const domain = domainOf(email);
    if (flow.tested_by !== null) {
      await test(asserted, flow.tested_by, domain);
      return { location, signedIn: null };
    }
    const signedIn = await accounts.identities.signInThroughOrganization({
      ...{ organization_id, connection_id: id },
      person: { ...person, issuer: issuerOf(id), email },
      request,
      async approve(transaction, { account_id, is_linked }) {
        const current = await approve(transaction, connection, domain);
        if (is_linked) await requireMaySignIn(transaction, current, account_id);
        else await requireMayLink(transaction, current, { account_id, request });
      },
      join: (account_id, { createAccount, link }) =>
        ensureMember({
          ...{ connection_id: id, account_id, request, createAccount: createAccount ?? null },
          async approve(transaction) {
            await approve(transaction, connection, domain);
            await link?.(transaction);
          },
        }),
    });
    return { location, signedIn };
  };
}

/** Throws unless the connection has the settings that it was used with, in a verified domain. */
async function approve(
  transaction: Transaction,
  used: SignInConnection,
  domain: string,
): Promise<SignInConnection> {
  const current = await lockConnection(transaction, used.id);
  if (current === null || !isDeepStrictEqual(settingsOf(current), settingsOf(used)))
    throw new SignInRefused('expired');
  if (!(await isVerifiedDomain(transaction, used.organization_id, domain)))
    throw new SignInRefused('outside_domain');
  return current;
}

const settingsOf = ({ configuration, attributes, secret }: ConnectionRow) => ({
  ...{ configuration, attributes, secret },
});
