import { SignInRefused } from '../../accounts/providers/providers.ts';
import type { RefusedReason } from '../../accounts/providers/schema.ts';
import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { findMember } from '../../organizations/organizations.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { findConnectionById } from '../connections/store.ts';
import type { ConnectionRow } from '../connections/store.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { findOwner, requiresSso } from '../enforcement/store.ts';
import {
  hadLimitedAccess,
  isFormerMember,
  isMemberElsewhere,
  isStillLinked,
  listLinks,
} from './store.ts';
import type { Link } from './store.ts';

/**
 * Throws unless the connection may sign in to the account, which it is linked to: a person who
 * controls the identity provider can do what the account can.
 */
export async function requireMaySignIn(
  transaction: Transaction,
  connection: ConnectionRow,
  account_id: string,
): Promise<void> {
  const reason = await reasonAgainst(transaction, connection, account_id);
  if (reason !== null) throw new SignInRefused(reason, account_id);
}

/**
 * Returns whether the connection that a session was opened through may still sign in to the account,
 * by the link that the session was opened with.
 */
export async function allowsSsoSession(
  database: Queryable,
  session: { id: string; account_id: string; sso_connection_id: string },
): Promise<boolean> {
  const connection = await findConnectionById(database, session.sso_connection_id);
  return (
    connection !== null &&
    (await isStillLinked(database, session.id)) &&
    (await reasonAgainst(database, connection, session.account_id)) === null
  );
}

/** Returns why the connection may not sign in to the account; null if it may. */
async function reasonAgainst(
  database: Queryable,
  connection: ConnectionRow,
  account_id: string,
): Promise<RefusedReason | null> {
  const { organization_id } = connection;
  if (await requiresSso(database, account_id, organization_id)) return 'sso_required';
  // The account is the person's own again; an invitation or the directory brings them back.
  if (await isFormerMember(database, { organization_id, account_id })) return 'not_joined';
  return (await mayAct(database, connection, account_id)) ? null : 'account_not_linked';
}

/**
 * Creates the function that throws unless an existing account, which must be locked, may be linked
 * through the connection. An account is linked through one connection only, and to one person there:
 * another one with the same address may be its new holder. A link through a connection of the same
 * organization that no Admin configured gives way, because the person who configured it may have
 * created the account before its owner first signed in. What it may have left ends, also if the link
 * has ended before.
 */
export const createLinkGuard =
  ({ identities }: Pick<SsoDependencies['accounts'], 'identities'>) =>
  async (
    transaction: Transaction,
    connection: ConnectionRow,
    { account_id, request }: { account_id: string; request: RequestFacts },
  ): Promise<void> => {
    const notLinked = () => new SignInRefused('account_not_linked', account_id);
    if (!connection.may_link) throw notLinked();
    await requireMaySignIn(transaction, connection, account_id);
    const links = await listLinks(transaction, account_id);
    const givesWay = ({ connection_id, organization_id, may_link }: Link) =>
      connection_id !== connection.id &&
      organization_id === connection.organization_id &&
      !may_link;
    if (!links.every(givesWay)) throw notLinked();
    const { organization_id } = connection;
    if (!(await hadLimitedAccess(transaction, { organization_id, account_id }))) return;
    const actor = personActor(account_id, request);
    await identities.endAccess(transaction, { organization_id, account_ids: [account_id] }, actor);
  };

/**
 * Returns whether the person who configured the connection may act as the account: the Owner as
 * themselves, someone with every permission of an Admin as anyone else. A connection of someone
 * with less is limited to what it gives.
 */
async function mayAct(
  database: Queryable,
  connection: ConnectionRow,
  account_id: string,
): Promise<boolean> {
  const { organization_id, may_link, configured_by } = connection;
  if ((await findOwner(database, organization_id)) === account_id)
    return may_link && configured_by === account_id;
  return may_link || hasOnlyGiven(database, connection, account_id);
}

/**
 * Returns whether the account has no roles and seats but those that the connection gives to people
 * who join, and is in no other organization.
 */
export async function hasOnlyGiven(
  database: Queryable,
  {
    organization_id,
    role_ids,
    seats,
  }: Pick<ConnectionRow, 'organization_id' | 'role_ids' | 'seats'>,
  account_id: string,
): Promise<boolean> {
  const key = { organization_id, account_id };
  const member = await findMember(database, key);
  const { roles = [], teams = [] } = member ?? {};
  return (
    roles.every(({ id }) => role_ids.includes(id)) &&
    teams.every((team) =>
      seats.some(
        (seat) =>
          seat.team_id === team.id && team.roles.every(({ id }) => seat.role_ids.includes(id)),
      ),
    ) &&
    !(await isMemberElsewhere(database, key))
  );
}
