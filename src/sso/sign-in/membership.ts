import { isDeepStrictEqual } from 'node:util';
import { SignInRefused } from '../../accounts/providers/providers.ts';
import { ConcurrentUpdate } from '../../authz/authz.ts';
import { personActor } from '../../caller/actor.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { findMemberships } from '../../organizations/organizations.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { findConnectionById, lockConnection } from '../connections/store.ts';
import type { SignInConnection } from '../connections/store.ts';
import type { SsoDependencies } from '../dependencies.ts';

const MAX_ATTEMPTS = 5;

/**
 * Creates a function that makes a person a member of the organization whose connection they sign in
 * through, with the roles and seats that the connection gives. A person who was a member before
 * stays out: only an invitation brings back whom an administrator removed.
 */
export function createMembership({
  database: { pool },
  organizations,
}: Pick<SsoDependencies, 'database' | 'organizations'>) {
  async function join(connection_id: string, account_id: string, request: RequestFacts) {
    const given = await findConnectionById(pool, connection_id);
    if (given === null) throw new SignInRefused('failed', account_id);
    const { organization_id, role_ids, seats } = given;
    const known = await findMemberships(pool, [{ organization_id, account_id }]);
    if (known.length > 0) return;
    if (given.organization_status === 'suspended')
      throw new SignInRefused('not_joined', account_id);
    await organizations.join(
      { organization_id, account_id, role_ids, seats },
      { actor: personActor(account_id, request), basis: null },
      {
        target: { type: 'sso_connection', id: connection_id },
        consume: (transaction) => requireSame(transaction, given),
      },
    );
  }

  return async function ensureMember(
    connection_id: string,
    account_id: string,
    request: RequestFacts,
  ): Promise<void> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await join(connection_id, account_id, request);
      } catch (error) {
        if (isRefusal(error) && error.code === 'limit_reached')
          throw new SignInRefused('not_joined', account_id);
        if (!(error instanceof ConcurrentUpdate) || attempt === MAX_ATTEMPTS) throw error;
      }
  };
}

/** Throws `ConcurrentUpdate` if the connection gives something else by now. */
async function requireSame(transaction: Transaction, given: SignInConnection): Promise<void> {
  if (!isDeepStrictEqual(await lockConnection(transaction, given.id), given))
    throw new ConcurrentUpdate();
}
