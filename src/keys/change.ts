import type { Slice } from '../authz/authz.ts';
import { ConcurrentUpdate } from '../authz/authz.ts';
import type { ScopeRef } from '../caller/scope.ts';
import { findMemberships, membershipObject, seatObject } from '../organizations/organizations.ts';
import type { MembershipRow, Service } from '../organizations/organizations.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { listBindings } from './bindings/store.ts';
import type { KeyChange, KeyVersion } from './key-change.ts';
import { keyServices } from './services/services.ts';
import type { KeyId } from './store.ts';
import { organizationsOf } from './tuples.ts';

/**
 * Returns the common fields of a change of a key; `versions` are the stored and the changed key.
 */
export const changeOf = (
  connection: Connection,
  { id, owner }: KeyId,
  ...versions: readonly KeyVersion[]
): Promise<KeyChange> =>
  owner.kind === 'account'
    ? personalChangeOf(connection, { id, account_id: owner.id }, versions)
    : serviceChangeOf(connection, { id, organization_id: owner.id }, versions);

async function serviceChangeOf(
  connection: Connection,
  service: Service,
  versions: readonly KeyVersion[],
): Promise<KeyChange> {
  const { team_ids = [] } = versions.at(-1) ?? {};
  const change = await keyServices.changeOf(connection, service, team_ids);
  return { ...change, writesAtCreation: change.writes };
}

interface PersonalKey {
  id: string;
  account_id: string;
}

/** Writes the account first: without its `principal` tuple, a key has no authority. */
async function personalChangeOf(
  connection: Connection,
  key: PersonalKey,
  versions: readonly KeyVersion[],
): Promise<KeyChange> {
  const account: ScopeRef = { kind: 'account', id: key.account_id };
  const memberships = await membershipsOf(connection, key.account_id, versions);
  const bound = await listBindings(connection, key.id);
  const team_ids = new Set([...bound, ...versions.flatMap((version) => version.team_ids ?? [])]);
  const runsIn = versions.find(({ org_scope }) => org_scope)?.org_scope;
  const home = memberships.find(({ organization_id }) => organization_id === runsIn);
  const scopes = memberships.map((membership): ScopeRef => ({
    kind: 'membership',
    id: membership.id,
  }));
  const [first = account, ...rest] = scopes;
  const subject = `api_key:${key.id}`;
  const objects = [`account:${key.account_id}`, ...memberships.map(membershipObject)];
  return {
    writes: [account, ...scopes],
    writesAtCreation: [first, ...rest, account],
    creates: [],
    objects: [
      ...objects.map((object) => ({ object, subject })),
      ...(home ? [...team_ids].flatMap((team_id) => slicesOf(key, home, team_id)) : []),
    ],
    targets: [{ type: 'api_key', id: key.id }],
    async requireCovered(transaction, current) {
      const known = new Set(memberships.map(({ organization_id }) => organization_id));
      const found = await membershipsOf(transaction, key.account_id, [current]);
      const isKnown = found.every(({ organization_id }) => known.has(organization_id));
      const teams = await listBindings(transaction, key.id);
      if (!isKnown || !new Set(teams).isSubsetOf(team_ids)) throw new ConcurrentUpdate();
    },
  };
}

/** Returns the slices that bind a key to a team: the key's own tuple, and the seat's holder. */
function slicesOf({ id, account_id }: PersonalKey, home: MembershipRow, team_id: string): Slice[] {
  const object = seatObject({ team_id, account_id });
  return [
    { object, subject: `api_key:${id}` },
    { object, subject: membershipObject(home) },
  ];
}

const organizationsIn = (versions: readonly KeyVersion[]) =>
  versions
    .map(({ org_scope = null, grants = [] }) => organizationsOf({ org_scope, grants }))
    .reduce((all, part) => all.union(part), new Set<string>());

/** Returns the memberships, including ended ones, on which these versions of a key have tuples. */
function membershipsOf(
  connection: Connection,
  account_id: string,
  versions: readonly KeyVersion[],
): Promise<readonly MembershipRow[]> {
  const ids = organizationsIn(versions);
  if (ids.size === 0) return Promise.resolve([]);
  return findMemberships(
    connection,
    [...ids].map((organization_id) => ({ organization_id, account_id })),
  );
}
