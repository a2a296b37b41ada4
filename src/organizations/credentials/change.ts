import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Change, Slice } from '../../authz/authz.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { findMemberships } from '../members/store.ts';
import type { MembershipRow } from '../members/store.ts';
import { membershipObject } from '../members/tuples.ts';
import { seatObject } from '../teams/seats/tuples.ts';
import { listTeamIds } from '../teams/store.ts';
import { listBindings } from './bindings/store.ts';
import type { CredentialTable, CredentialOwner, Service } from './kinds.ts';
import { scopeOf, serviceObject, serviceSlicesIn } from './objects.ts';
import { listServiceSeats } from './store.ts';

/** Where a credential has tuples, before and after a change. */
export interface Placement {
  /** The organizations where a person's credential runs or was granted something. */
  organizations: ReadonlySet<string>;
  /** The organization where it runs; null if it runs in its person's account. */
  runs_in: string | null;
  /** The teams that it is bound to. */
  team_ids: readonly string[];
  follows_teams: boolean;
}

/** The common fields of a change of a credential. */
export interface CredentialChange extends Pick<Change<unknown>, 'objects' | 'targets' | 'writes'> {
  /** The scopes in the order in which a new credential gets its tuples. */
  writesAtCreation: Change<unknown>['writes'];
  /** Scopes that a new credential creates. */
  creates: NonNullable<Change<unknown>['creates']>;
  /**
   * Throws `ConcurrentUpdate` if the credential now has tuples that the change does not cover.
   * `organizations` are those of its placement, if they may be others than before.
   */
  requireCovered(db: Queryable, organizations?: ReadonlySet<string>): Promise<void>;
}

/** Returns the common fields of a change of a credential. */
export const changeOfCredential = (
  db: Queryable,
  kind: CredentialTable,
  { id, owner }: { id: string; owner: CredentialOwner },
  placement: Placement,
): Promise<CredentialChange> =>
  owner.kind === 'account'
    ? personalChangeOf(db, kind, { id, account_id: owner.id }, placement)
    : serviceChangeOf(db, kind, { id, organization_id: owner.id }, placement);

interface PersonalCredential {
  id: string;
  account_id: string;
}

/** Writes the account first: without its `principal` tuple, a credential has no authority. */
async function personalChangeOf(
  db: Queryable,
  kind: CredentialTable,
  { id, account_id }: PersonalCredential,
  { organizations, runs_in, team_ids }: Placement,
): Promise<CredentialChange> {
  const account: ScopeRef = { kind: 'account', id: account_id };
  const memberships = await membershipsOf(db, account_id, organizations);
  const teams = new Set([...(await listBindings(db, kind, id)), ...team_ids]);
  const home = memberships.find(({ organization_id }) => organization_id === runs_in);
  const scopes = memberships.map((one): ScopeRef => ({ kind: 'membership', id: one.id }));
  const [first, ...rest] = [...scopes, account];
  const subject = `${kind.personal}:${id}`;
  return {
    writes: [account, ...scopes],
    writesAtCreation: [first, ...rest],
    creates: [],
    objects: [
      ...[`account:${account_id}`, ...memberships.map(membershipObject)].map((object) => ({
        ...{ object, subject },
      })),
      ...(home ? [...teams].flatMap((team_id) => slicesIn(team_id, home, subject)) : []),
    ],
    targets: [{ type: kind.personal, id }],
    async requireCovered(transaction, current = organizations) {
      const found = await membershipsOf(transaction, account_id, current);
      const known = new Set(memberships.map((one) => one.id));
      const bound = new Set(await listBindings(transaction, kind, id));
      if (!found.every((one) => known.has(one.id)) || !bound.isSubsetOf(teams))
        throw new ConcurrentUpdate();
    },
  };
}

/** Returns the slices that bind a person's credential to a team: its own tuple, and the holder. */
function slicesIn(team_id: string, home: MembershipRow, subject: string): Slice[] {
  const object = seatObject({ team_id, account_id: home.account_id });
  return [
    { object, subject },
    { object, subject: membershipObject(home) },
  ];
}

/** Returns a person's memberships in these organizations, including ended ones. */
async function membershipsOf(
  db: Queryable,
  account_id: string,
  organizations: ReadonlySet<string>,
): Promise<readonly MembershipRow[]> {
  const members = [...organizations].map((organization_id) => ({ organization_id, account_id }));
  return members.length === 0 ? [] : findMemberships(db, members);
}

async function serviceChangeOf(
  db: Queryable,
  kind: CredentialTable,
  service: Service,
  { team_ids, follows_teams }: Placement,
): Promise<CredentialChange> {
  const { id, organization_id } = service;
  const seats = await listServiceSeats(db, kind, [id]);
  const placed = follows_teams ? await listTeamIds(db, organization_id) : team_ids;
  const teams = new Set([...seats.map(({ team_id }) => team_id), ...placed]);
  const scope = scopeOf(id);
  return {
    writes: [scope],
    writesAtCreation: [scope],
    creates: [{ ...scope, organization_id }],
    objects: [
      { object: serviceObject(service) },
      ...[...teams].flatMap((team_id) => serviceSlicesIn(kind, service, team_id)),
    ],
    targets: [{ type: kind.service, id }],
    async requireCovered(transaction) {
      const current = await listServiceSeats(transaction, kind, [id]);
      if (!current.every(({ team_id }) => teams.has(team_id))) throw new ConcurrentUpdate();
    },
  };
}
