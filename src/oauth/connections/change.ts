import type { Change, Slice } from '../../authz/authz.ts';
import type { NewScope, ScopeRef } from '../../caller/scope.ts';
import {
  findMemberships,
  membershipObject,
  seatObject,
} from '../../organizations/organizations.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { machineServices } from './machines/services.ts';
import type { ConnectionRow } from './store.ts';

/** The fields that determine where a connection has tuples. */
type Placed = Pick<
  ConnectionRow,
  'id' | 'account_id' | 'organization_id' | 'follows_teams' | 'team_ids'
>;

/** The common fields of a change of connections. */
export interface ConnectionChange {
  /** The scopes in the order in which connections lose their authority. */
  writes: readonly ScopeRef[];
  /** Scopes that new connections create. */
  creates: readonly NewScope[];
  objects: readonly Slice[];
  targets: Change<unknown>['targets'];
  /** Throws `ConcurrentUpdate` if a connection now has tuples that the change does not cover. */
  requireCovered(connection: Connection): Promise<void>;
}

/** Returns the common fields of a change of one connection; `versions` are before and after it. */
export const changeOf = (
  connection: Connection,
  ...versions: readonly [Placed, ...Placed[]]
): Promise<ConnectionChange> =>
  versions[0].account_id === null
    ? machineChangeOf(connection, versions)
    : delegatedChangeOf(connection, versions[0], versions[0].account_id);

/** Writes the account first: without its `principal` tuple, a connection has no authority. */
async function delegatedChangeOf(
  connection: Connection,
  { id, organization_id, team_ids }: Placed,
  account_id: string,
): Promise<ConnectionChange> {
  const subject = `connection:${id}`;
  const members = organization_id === null ? [] : [{ organization_id, account_id }];
  const [home] = members.length === 0 ? [] : await findMemberships(connection, members);
  const seats = home === undefined ? [] : team_ids.map((team_id) => ({ team_id, account_id }));
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
    // Its teams never change, except that deleted ones are removed.
    requireCovered: async () => {},
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

/** Joins changes of several connections into one. */
export function joinChanges(changes: readonly ConnectionChange[]): ConnectionChange {
  const writes = changes.flatMap((one) => one.writes);
  return {
    // Accounts and services first: these end connections.
    writes: [
      ...writes.filter(({ kind }) => kind !== 'membership'),
      ...writes.filter(({ kind }) => kind === 'membership'),
    ],
    creates: changes.flatMap((one) => one.creates),
    objects: changes.flatMap((one) => one.objects),
    targets: changes.flatMap((one) => one.targets),
    async requireCovered(connection) {
      for (const one of changes) await one.requireCovered(connection);
    },
  };
}
