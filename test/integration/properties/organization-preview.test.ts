import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KeyEditPreview, Preview } from '../../../src/keys/schema.ts';
import { reached } from '../../oracle/reach.ts';
import type { OracleItems, OracleKey, OracleWorld } from '../../oracle/world.ts';
import { askAs, createJoins } from '../../support/people/organizations.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { CAPABILITIES, ITEM_FAMILIES } from '../../support/worlds/worlds.ts';
import { oracleCatalog } from './agents-reach.ts';
import { buildOrganization } from './built-organization.ts';
import type { BuiltOrganization } from './built-organization.ts';
import { anyOrganization } from './organization-plans.ts';
import type { OrganizationPlan } from './organization-plans.ts';
import { createReader } from './reader.ts';
import { builtIns, createStage } from './stage.ts';
import { checkProperty, scaledTimeout } from './trials.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const PEOPLE = 3;
const stage = await closeAfterTests(createStage(PEOPLE));
const joins = await closeAfterTests(createJoins(stage.gateways[0]));

const noItems: OracleItems = { tools: [], prompts: [], resources: [], agents: [] };
const account = { active: true, selected: new Set<string>(), ...noItems };
const oracleWorld: OracleWorld = {
  ...oracleCatalog,
  accounts: Array.from({ length: PEOPLE }, () => account),
};

async function requireStatus<Body>(
  who: SignedUp,
  expected: number,
  request: SendRequest,
): Promise<Body> {
  const { status, body } = await askAs<Body>(who, request);
  if (status !== expected) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id).toSorted();
const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name).toSorted();
/** Removes the place from a URI without its scheme: a preview shows the path of a resource. */
const pathOf = (uri: string) => uri.replace(/^(me|org|team\/[^/]+)\//, '');

interface StoredKey {
  name: string;
  mcp_capabilities: string[];
  org_scope?: string;
  follows_memberships?: boolean;
  follows_teams?: boolean;
  teams: { id: string }[];
}

interface Previewed {
  who: SignedUp;
  keysPath: string;
  id: string;
  secret: string;
  oracle: OracleKey;
  /** Ids of items in spaces that the key is not in. */
  foreign: readonly string[];
}

/** Compares the preview of a stored key's body with the key's lists and with the oracle. */
async function comparePreview({ who, keysPath, id, secret, oracle, foreign }: Previewed) {
  const key = await requireStatus<StoredKey>(who, 200, { path: `${keysPath}/${id}` });
  const { name, mcp_capabilities, org_scope } = key;
  const follows = key.follows_teams ?? key.follows_memberships;
  const team_ids = follows === true ? null : key.teams.map((team) => team.id);
  const body = { name: `not ${name}`, mcp_capabilities, org_scope, team_ids };
  const request = { path: `${keysPath}/preview`, body };
  const { visible, hidden, counts, errors } = await requireStatus<Preview>(who, 200, request);
  const reader = createReader(secret, '2026', 'toolgate://');
  const listed = async (family: 'tools' | 'prompts' | 'resources') =>
    (await reader.list(stage.gateways[1], family))!;

  // A person's role may have lost capabilities since; the preview leaves these out.
  expect(new Set(errors.map(({ code }) => code))).toEqual(
    new Set(errors.length === 0 ? [] : ['capability_escalation']),
  );
  expect(namesOf(visible.tools)).toEqual(await listed('tools'));
  expect(namesOf(visible.prompts)).toEqual(await listed('prompts'));
  expect(namesOf(visible.resources)).toEqual((await listed('resources')).map(pathOf).toSorted());
  for (const family of ITEM_FAMILIES) {
    const governed = visible[family].filter((one) => !('system' in one));
    expect(idsOf(governed), family).toEqual(idsOf(reached(oracleWorld, oracle, family)));
    expect(counts.visible[family]).toBe(visible[family].length);
  }
  expect(hidden.filter(({ because }) => because.length === 0)).toEqual([]);
  const shown = new Set(idsOf([...hidden, ...Object.values(visible).flat()]));
  expect(shown.size).toBe(hidden.length + Object.values(visible).flat().length);
  expect(foreign.filter((one) => shown.has(one))).toEqual([]);
}

type SeenKey = Pick<Preview, 'visible'>;
const visibleIds = ({ visible }: SeenKey) =>
  ITEM_FAMILIES.flatMap((family) => idsOf(visible[family])).toSorted();

/** Compares the preview of an edit with the key before and after it, or with why it is refused. */
async function compareEdit({ who, keysPath, id, secret }: Previewed, edit: object) {
  const path = `${keysPath}/${id}`;
  const before = await requireStatus<Preview>(who, 200, { path: `${path}/preview` });
  const request = { path: `${path}/preview`, body: edit };
  const predicted = await requireStatus<KeyEditPreview>(who, 200, request);
  const { status, body } = await askAs<{ errors?: object[] }>(who, {
    ...{ path, body: edit, method: 'PATCH' },
  });
  const after = await requireStatus<Preview>(who, 200, { path: `${path}/preview` });
  const reader = createReader(secret, '2026', 'toolgate://');

  expect(predicted.errors).toEqual(status === 200 ? [] : body.errors);
  expect(predicted.visible).toEqual(after.visible);
  expect(predicted.hidden).toEqual(after.hidden);
  expect(namesOf(predicted.visible.tools)).toEqual(await reader.list(stage.gateways[1], 'tools'));
  const [earlier, later] = [new Set(visibleIds(before)), new Set(visibleIds(after))];
  expect(visibleIds({ visible: predicted.gained })).toEqual([...later.difference(earlier)]);
  expect(visibleIds({ visible: predicted.lost })).toEqual([...earlier.difference(later)]);
}

const itemIds = (items: OracleItems) => ITEM_FAMILIES.flatMap((family) => idsOf(items[family]));

/** Returns the ids of teams' and members' items, except in the spaces of one key. */
function foreignTo({ teams, members }: BuiltOrganization, { member, teams: bound }: OracleKey) {
  const isInside = (team: BuiltOrganization['teams'][number]) =>
    member!.seats.has(team) && bound?.includes(team) !== false;
  return [
    ...teams.filter((team) => !isInside(team)),
    ...members.map(({ oracle }) => oracle.me).filter((me) => me !== member!.me),
  ].flatMap(itemIds);
}

/** Creates keys of the organization with the capabilities and teams of the plan's keys. */
async function createOwnedKeys(owner: SignedUp, built: BuiltOrganization, plan: OrganizationPlan) {
  const keysPath = `/api/organizations/${built.id}/keys`;
  const keys: Previewed[] = [];
  for (const { capabilities, teams: bound } of plan.keys) {
    const teams = bound?.map((index) => built.teams[index]!) ?? null;
    const { id, secret } = await requireStatus<{ id: string; secret: string }>(owner, 201, {
      path: keysPath,
      body: {
        ...{ name: `key ${randomUUID()}`, mcp_capabilities: capabilities },
        team_ids: teams?.map((team) => team.id) ?? null,
      },
    });
    // The key is in its teams like a member whose role has every capability, but has no own space.
    const member = {
      ...{ organization: built.members[0]!.oracle.organization, me: noItems },
      ...{ capabilities: CAPABILITIES, seats: new Map(built.teams.map((team) => [team, []])) },
    };
    const oracle: OracleKey = {
      ...{ account: 0, member, teams, capabilities, revoked: false, policies: {} },
      ...{ permissions: null, defaultAgent: null },
    };
    const foreign = foreignTo(built, oracle);
    keys.push({ who: owner, keysPath, id, secret, oracle, foreign });
  }
  return keys;
}

/** Returns the keys of members that run in the organization. */
const scopedKeys = (built: BuiltOrganization, members: readonly SignedUp[]): Previewed[] =>
  built.keys.flatMap(({ id, secret, memberIndex, oracle: withoutAccount }) => {
    if (memberIndex === null) return [];
    const oracle = { ...withoutAccount, account: memberIndex + 1 };
    const foreign = foreignTo(built, oracle);
    const who = members[memberIndex]!;
    return [{ who, keysPath: '/api/keys', id, secret, oracle, foreign }];
  });

/** Returns an edit that gives a key the capabilities and teams of the next key of the plan. */
function editOf({ keys }: OrganizationPlan, built: BuiltOrganization, index: number): object {
  const { capabilities, teams } = keys[(index + 1) % keys.length]!;
  return {
    mcp_capabilities: capabilities,
    team_ids: teams?.map((team) => built.teams[team]!.id) ?? null,
  };
}

test(
  'in an organization, a preview equals the lists of a key with the same body, of a person or of the organization',
  async () => {
    const [owner, ...members] = stage.tenants;
    await checkProperty(
      2,
      fc.asyncProperty(anyOrganization(builtIns), async (plan) => {
        const built = await buildOrganization({ owner: owner!, members }, plan, {
          ...{ joins, oracleWorld, upstream: stage.upstream },
        });
        try {
          const owned = await createOwnedKeys(owner!, built, plan);
          const scoped = scopedKeys(built, members);
          for (const key of [...owned, ...scoped]) await comparePreview(key);
        } finally {
          await built.end();
        }
      }),
    );
  },
  scaledTimeout(60_000),
);

test(
  'in an organization, the preview of an edit predicts the key after it, or why it is refused',
  async () => {
    const [owner, ...members] = stage.tenants;
    await checkProperty(
      1,
      fc.asyncProperty(anyOrganization(builtIns), async (plan) => {
        const built = await buildOrganization({ owner: owner!, members }, plan, {
          ...{ joins, oracleWorld, upstream: stage.upstream },
        });
        try {
          const owned = await createOwnedKeys(owner!, built, plan);
          const keys = [...owned.slice(0, 2), ...scopedKeys(built, members).slice(0, 3)];
          for (const [index, key] of keys.entries())
            await compareEdit(key, editOf(plan, built, index));
        } finally {
          await built.end();
        }
      }),
    );
  },
  scaledTimeout(120_000),
);
