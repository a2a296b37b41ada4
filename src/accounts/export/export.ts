import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { readDatabaseTime } from '../captcha/store.ts';
import type { Export, AccountsParts } from '../dependencies.ts';
import { listReservedAddresses } from '../email-change/store.ts';
import { accountDeleted } from '../refusals.ts';
import { listIdentities } from '../identities/store.ts';
import { listPasskeys } from '../passkeys/store.ts';
import { findFactors } from '../second-factor/store.ts';
import { listSessions } from '../sessions/store.ts';
import { findAccount } from '../store.ts';
import { jsonPieces } from './json-pieces.ts';

// Caps each list; older entries are available from the list endpoints.
const MAX_ITEMS = 10_000;

/** Exports everything the account owns, without secrets or anything that could verify one. */
export function createExport(parts: Pick<AccountsParts, 'database' | 'audit' | 'exports'>) {
  const { audit } = parts;
  const { pool } = parts.database;
  const exports: Readonly<Record<string, Export>> = {
    sessions: (connection, id, limit) => listSessions(connection, id, { limit, cursor: null }),
    identities: listIdentities,
    second_factors: findFactors,
    passkeys: listPasskeys,
    reserved_addresses: listReservedAddresses,
    ...parts.exports,
  };

  /** Reads each part when it is streamed, so that a slow client holds no transaction open. */
  async function* partsOf(id: string, head: Record<string, unknown>) {
    yield* Object.entries(head);
    for (const [name, read] of Object.entries(exports))
      yield [name, await read(pool, id, MAX_ITEMS)] as const;
  }

  return async function exportAccount(
    caller: SessionPrincipal,
    request: RequestFacts,
  ): Promise<AsyncIterable<string>> {
    const { person: id } = caller;
    await audit.record(pool, {
      actor: actorOf(caller, request),
      action: 'account.export',
      scope: { kind: 'account', id },
      units: [{ type: 'account', id }],
    });
    const account = await findAccount(pool, id);
    if (account === null) throw accountDeleted();
    const exported_at = (await readDatabaseTime(pool)).toISOString();
    return jsonPieces(partsOf(id, { exported_at, most_of_a_list: MAX_ITEMS, account }));
  };
}
