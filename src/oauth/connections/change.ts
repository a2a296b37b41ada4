import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Change, Slice } from '../../authz/authz.ts';
import type { NewScope, ScopeRef } from '../../caller/scope.ts';
import {
  findMemberships,
  membershipObject,
  seatObject,
} from '../../organizations/organizations.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { machineServices } from './machines/services.ts';
import { findConnection } from './store.ts';
import type { ConnectionRow } from './store.ts';

/** The fields that determine where a connection has tuples. */
type Placed = Pick<
  ConnectionRow,
  'id' | 'account_id' | 'organization_id' | 'follows_teams' | 'team_ids'
>;

/** The common fields of a change of a connection. */
export interface ConnectionChange {
  /** The scopes in the order in which the connection loses its authority. */
  writes: readonly [ScopeRef, ...ScopeRef[]];
  /** Scopes that a new connection creates. */
  creates: readonly NewScope[];
  objects: readonly Slice[];
  targets: Change<unknown>['targets'];
  /** Throws `ConcurrentUpdate` if it now has tuples that the change does not cover. */
  requireCovered(connection: Connection): Promise<void>;
}

/** Returns the common fields of a change of one connection; `versions` are before and after it. */
export const changeOf = (
  connection: Connection,
  ...versions: readonly [Placed, ...Placed[]]
): Promise<ConnectionChange> =>
  versions[0].account_id === null
    ? machineChangeOf(connection, versions)
    : delegatedChangeOf(connection, versions, versions[0].account_id);

/** Writes the account first: without its `principal` tuple, a connection has no authority. */
async function delegatedChangeOf(
  connection: Connection,
  versions: readonly [Placed, ...Placed[]],
  account_id: string,
): Promise<ConnectionChange> {
  const [{ id, organization_id }] = versions;
  const teams = new Set(versions.flatMap(({ team_ids }) => team_ids));
  const subject = `connection:${id}`;
  const members = organization_id === null ? [] : [{ organization_id, account_id }];
  const [home] = members.length === 0 ? [] : await findMemberships(connection, members);
  const seats = home === undefined ? [] : [...teams].map((team_id) => ({ team_id, account_id }));
  return {
    writes: [
      { kind: 'account', id: account_id },
      ...(home ? [{ kind: 'membership', id: home.id } as const] : []),
    ],
    creates: [],
    objects: [
      { object: `account:${account_id}`, subject },
      ...(home ? [{ object: membershipObject(home), subject }] : []),
      ...seats.map(seatObject).flatMap((object) => [
        { object, subject },
        { object, subject: membershipObject(home!) },
      ]),
    ],
    targets: [{ type: 'connection', id }],
    async requireCovered(transaction) {
      const current = await findConnection(transaction, id);
      if (!new Set(current?.team_ids).isSubsetOf(teams)) throw new ConcurrentUpdate();
    },
  };
}

function machineChangeOf(
  connection: Connection,
  versions: readonly [Placed, ...Placed[]],
): Promise<ConnectionChange> {
  const { id, organization_id, follows_teams, team_ids } = versions.at(-1)!;
  const machine = { id, organization_id: organization_id! };
  return machineServices.changeOf(connection, machine, follows_teams ? null : team_ids);
}

// Ids that are listed at a time.
const PAGE_SIZE = 20;

/**
 * Changes connections until none is listed any more. Each change is one of its own: its audit
 * entries are shown to the connection's person and organization, and must name no other.
 */
export async function changeEach(
  list: (limit: number) => Promise<readonly string[]>,
  change: (id: string) => Promise<void>,
): Promise<void> {
  for (;;) {
    const ids = await list(PAGE_SIZE);
    if (ids.length === 0) return;
    for (const id of ids) await change(id);
  }
}
