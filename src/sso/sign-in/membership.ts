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

interface JoiningPerson {
  connection_id: string;
  account_id: string;
  request: RequestFacts;
  /** Creates the account in the transaction in which the person joins; null if it exists. */
  createAccount: ((transaction: Transaction) => Promise<void>) | null;
  /** Throws unless the sign-in is still allowed. Called in that transaction, with the account locked. */
  approve(transaction: Transaction): Promise<unknown>;
}

/**
 * Creates a function that makes a person a member of the organization whose connection they sign in
 * through, with the roles and seats that the connection gives. A person who was a member before
 * stays out: after a removal, only an invitation brings a person back. It returns whether the person
 * has become a member.
 */
export function createMembership({
  database: { pool },
  organizations,
}: Pick<SsoDependencies, 'database' | 'organizations'>) {
  async function join(person: JoiningPerson): Promise<boolean> {
    const { connection_id, account_id, request, ...joining } = person;
    const given = await findConnectionById(pool, connection_id);
    if (given === null) throw new SignInRefused('failed', account_id);
    const { organization_id, role_ids, seats } = given;
    const known = await findMemberships(pool, [{ organization_id, account_id }]);
    if (known.length > 0) return false;
    if (given.organization_status === 'suspended') throw new SignInRefused('not_joined');
    const { createAccount } = joining;
    await organizations.join(
      { organization_id, account_id, role_ids, seats },
      { actor: personActor(account_id, request), basis: null },
      {
        target: { type: 'sso_connection', id: connection_id },
        ...(createAccount && { createAccount }),
        async consume(transaction) {
          await joining.approve(transaction);
          await requireSame(transaction, given);
        },
      },
    );
    return true;
  }

  return async function ensureMember(person: JoiningPerson): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await join(person);
      } catch (error) {
        if (isRefusal(error) && error.code === 'limit_reached')
          throw new SignInRefused('not_joined');
        if (!(error instanceof ConcurrentUpdate) || attempt === MAX_ATTEMPTS) throw error;
      }
  };
}

/** Throws `ConcurrentUpdate` if the connection gives something else by now. */
async function requireSame(transaction: Transaction, given: SignInConnection): Promise<void> {
  if (!isDeepStrictEqual(await lockConnection(transaction, given.id), given))
    throw new ConcurrentUpdate();
}
