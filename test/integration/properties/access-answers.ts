import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { HolderPage, ItemUserPage, SubjectAccess } from '../../../src/explorer/schema.ts';
import {
  organizationPermissions,
  ownerSessionPermissions,
  teamPermissions,
} from '../../../src/authz/permissions.ts';
import { reached } from '../../oracle/reach.ts';
import type { OracleWorld } from '../../oracle/world.ts';
import { everyTeam } from '../../support/access/permissions.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { ITEM_FAMILIES } from '../../support/worlds/worlds.ts';
import type { BuiltOrganization } from './built-organization.ts';
import type { readAuthority } from './effective-authority.ts';

type Authority = Awaited<ReturnType<typeof readAuthority>>;

/** A subject of the model, with the objects that requests of it are decided on. */
interface Asked {
  id: string;
  user: string;
  /** The second part of its objects' ids. */
  holder: string;
  home: string;
}

/** A key with grants; its account is null for a key of the organization. */
export interface GrantedKey {
  id: string;
  secret: string;
  account_id: string | null;
}

/** An organization, and what is known of it without the explorer. */
export interface Answers {
  built: BuiltOrganization;
  authority: Authority;
  oracleWorld: OracleWorld;
  /** Keys with grants, in addition to those of the built organization. */
  granted: readonly GrantedKey[];
}

const idsOf = ({ data }: { data: readonly { subject: { id: string } }[] }) =>
  data.map(({ subject }) => subject.id).toSorted();

/**
 * Gives every member's role these permissions, creates keys with them as grants: of the Owner, of the
 * organization and of each member, and then takes them from the role of the last member.
 */
export async function createGrantedKeys(
  { owner, base, id, members, plan, requireStatus }: BuiltOrganization,
  permissions: readonly string[],
): Promise<Answers['granted']> {
  const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
  // Who manages every team reaches their items: the oracle knows that from the plan.
  const setRole = (index: number, held: readonly string[]) =>
    requireStatus(owner, 200, {
      ...{ method: 'PATCH', path: `${base}/roles/${members[index]!.role_id}` },
      body: {
        permissions: plan.members[index]!.managesEvery ? [...held, everyTeam] : held,
      },
    });
  const create = async (who: SignedUp, path: string, account_id: string | null) => {
    const body = { name: `key ${randomUUID()}`, mcp_capabilities: [], grants };
    const { id: key, secret } = await requireStatus<{ id: string; secret: string }>(who, 201, {
      ...{ path, body },
    });
    return { id: key, secret, account_id };
  };
  const granted = [
    await create(owner, `${base}/keys`, null),
    await create(owner, '/api/keys', owner.account_id),
  ];
  for (const [index, { person }] of members.entries()) {
    await setRole(index, permissions);
    granted.push(await create(person, '/api/keys', person.account_id));
  }
  await setRole(members.length - 1, []);
  return granted;
}

/** Expects that the holders of every permission are the subjects that the model allows it. */
export async function compareHolders({ built, authority, granted }: Answers): Promise<void> {
  const { owner, id, teams, members, keys } = built;
  const present = members.filter(({ hasLeft }) => !hasLeft).map(({ person }) => person);
  const membership = (account_id: string) => `membership:${id}.${account_id}`;
  const ofPerson = (user: string, account_id: string, credential = account_id): Asked => ({
    ...{ id: credential, user, holder: account_id, home: membership(account_id) },
  });
  const ofService = (user: string, credential: string): Asked => ({
    ...{ id: credential, user, holder: credential, home: `service:${id}.${credential}` },
  });
  const asked: Asked[] = [
    ...[owner, ...present].map(({ account_id }) => ofPerson(`user:${account_id}`, account_id)),
    ...keys.map(({ id: key, memberIndex, isConnection }) =>
      memberIndex === null
        ? ofService(`${isConnection ? 'machine' : 'org_key'}:${key}`, key)
        : ofPerson(
            `${isConnection ? 'connection' : 'api_key'}:${key}`,
            members[memberIndex]!.person.account_id,
            key,
          ),
    ),
    ...granted.map(({ id: key, account_id }) =>
      account_id === null
        ? ofService(`org_key:${key}`, key)
        : ofPerson(`api_key:${key}`, account_id, key),
    ),
  ];
  const allowed = new Map(
    asked.map(({ id: one, user }) => [
      one,
      new Set(authority.allowed(user).map((pair) => pair.join(' '))),
    ]),
  );
  const has = ({ id: one }: Asked, object: string, relation: string) =>
    allowed.get(one)!.has(`${object} ${relation}`);

  const holdersOf = async (permission: string) =>
    idsOf(await ask<z.infer<typeof HolderPage>>(built, `access/permissions/${permission}`));

  for (const { relation, grant } of [...organizationPermissions, ...ownerSessionPermissions]) {
    const expected = asked.filter(
      (one) => has(one, one.home, 'can_see') && has(one, one.home, `can_${relation}`),
    );
    expect([grant, await holdersOf(grant!)]).toEqual([
      grant,
      expected.map((one) => one.id).toSorted(),
    ]);
  }
  for (const { relation, grant } of teamPermissions) {
    const page = await ask<z.infer<typeof HolderPage>>(built, `access/permissions/${grant}`);
    const found = page.data.flatMap(({ subject, teams: held }) =>
      held!.map((team) => `${subject.id} ${team.id}`),
    );
    const expected = asked.flatMap((one) =>
      teams
        .filter((team) => {
          const seat = `team_seat:${team.id}.${one.holder}`;
          const isPerson = one.user.startsWith('user:');
          if (!has(one, one.home, 'can_see')) return false;
          if (isPerson && has(one, one.home, 'can_manage_every_team')) return true;
          return has(one, seat, `can_${relation}`) && (isPerson || has(one, seat, 'active'));
        })
        .map((team) => `${one.id} ${team.id}`),
    );
    expect([grant, found.toSorted()]).toEqual([grant, expected.toSorted()]);
  }
}

/** Expects that the users of every item are the credentials that reach it, by the oracle. */
export async function compareUsers({ built, oracleWorld }: Answers): Promise<void> {
  const { members, keys, catalog, teams } = built;
  const isPresent = ({ memberIndex }: { memberIndex: number | null }) =>
    memberIndex === null || !members[memberIndex]!.hasLeft;
  for (const family of ITEM_FAMILIES) {
    const reach = new Map(
      keys
        .filter(isPresent)
        .map((key) => [
          key.id,
          new Set(reached(oracleWorld, key.oracle, family).map(({ id }) => id)),
        ]),
    );
    const shared = [catalog.items, ...teams].flatMap((space) => space[family]).map(({ id }) => id);
    const builtIn = [...reach.values()]
      .flatMap((ids) => [...ids])
      .filter((id) => !isOwn(built, id));
    for (const item of new Set([...shared, ...builtIn])) {
      const expected = [...reach].filter(([, ids]) => ids.has(item)).map(([id]) => id);
      const answer = await askAs<z.infer<typeof ItemUserPage>>(built.owner, {
        path: `${built.base}/access/items/${family}/${item}?limit=200`,
      });
      if (expected.length === 0 && answer.status === 404) continue;
      expect([family, item, idsOf(answer.body)]).toEqual([family, item, expected.toSorted()]);
    }
  }
}

/** Whether an item is in a member's own space: only its owner may ask for its users. */
const isOwn = ({ members }: BuiltOrganization, id: string): boolean =>
  members.some(({ oracle }) =>
    ITEM_FAMILIES.some((family) => oracle.me[family].some((one) => one.id === id)),
  );

/** Expects that what is shown of each key is what it reaches, without items of other people. */
export async function compareAccess({ built, oracleWorld }: Answers): Promise<void> {
  for (const { id, isConnection, memberIndex, oracle } of built.keys) {
    if (memberIndex !== null && built.members[memberIndex]!.hasLeft) continue;
    const kind = isConnection ? 'connections' : 'keys';
    const seen = await ask<SubjectAccess>(built, `${kind}/${id}/access`);
    for (const family of ITEM_FAMILIES) {
      const expected = reached(oracleWorld, oracle, family).map((one) => one.id);
      const shown = seen.visible[family].filter((one) => !('system' in one)).map((one) => one.id);
      expect([family, shown.toSorted()]).toEqual([
        family,
        expected.filter((one) => !isOwn(built, one)).toSorted(),
      ]);
    }
  }
}

async function ask<Body>({ owner, base }: BuiltOrganization, path: string): Promise<Body> {
  const separator = path.startsWith('access/') ? '?limit=200' : '';
  const { status, body } = await askAs<Body>(owner, { path: `${base}/${path}${separator}` });
  expect([path, status, body]).toEqual([path, 200, expect.anything()]);
  return body;
}
