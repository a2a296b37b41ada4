import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { connect, disconnect } from '../../../src/connections.ts';
import { organizationPermissions, teamPermissions } from '../../../src/authz/permissions.ts';
import type { Principal } from '../../../src/caller/principal.ts';
import type { Preview } from '../../../src/keys/schema.ts';
import { createParts } from '../../../src/parts.ts';
import type { ChangePreview } from '../../../src/previews/schema.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { askAs, createJoins, retried } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { CAPABILITIES, ITEM_FAMILIES } from '../../support/worlds/worlds.ts';
import { buildOrganization } from './built-organization.ts';
import type { BuiltOrganization } from './built-organization.ts';
import { oracleWorld, PEOPLE } from './organization-comparison.ts';
import { anyOrganization } from './organization-plans.ts';
import { anyWrites, requestOf } from './previewed-writes.ts';
import { createReader } from './reader.ts';
import { builtIns, createStage } from './stage.ts';
import { storedState } from './stored-state.ts';
import { checkProperty, scaledTimeout } from './trials.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { fromHere } from '../../support/from-here.ts';

const stage = await closeAfterTests(createStage(PEOPLE));
const [gateway] = stage.gateways;
const joins = await closeAfterTests(createJoins(gateway));
const oauth = await closeAfterTests(createConnectionsSupport(stage.world, gateway));
const connections = await connect(gateway.config);
const parts = createParts(gateway.config, connections, {});
parts.authz.start();
const end: () => Promise<void> = async () => {
  await parts.authz.stop();
  await parts.workers.close();
  await disconnect(connections);
};
afterAll(async () => {
  await end?.();
});

/** A credential, and the request that shows what it sees. */
interface Credential {
  id: string;
  secret: string;
  who: SignedUp;
  path: string;
  /** Null for a credential of the organization. */
  account_id: string | null;
  /** Whether it works in the organization; else in the person's account. */
  isShared: boolean;
}

const credentialsOf = ({ keys, base, owner, members }: BuiltOrganization): Credential[] =>
  keys.map(({ id, secret, isConnection, memberIndex }) => {
    const who = memberIndex === null ? owner : members[memberIndex]!.person;
    const parent = memberIndex === null ? base : isConnection ? '/api/me' : '/api';
    const path = `${parent}/${isConnection ? 'connections' : 'keys'}/${id}/preview`;
    const account_id = memberIndex === null ? null : who.account_id;
    return { id, secret, who, path, account_id, isShared: true };
  });

/** Adds a personal key of the first member, which the member's own settings concern. */
async function addPersonalKey({ members }: BuiltOrganization): Promise<Credential> {
  const who = members[0]!.person;
  const body = { name: randomUUID(), mcp_capabilities: CAPABILITIES };
  const { body: key } = await askAs<{ id: string; secret: string }>(who, {
    ...{ path: '/api/keys', body },
  });
  const { id, secret } = key;
  const path = `/api/keys/${id}/preview`;
  return { id, secret, who, path, account_id: who.account_id, isShared: false };
}

/** Returns the ids of what a credential sees, which MCP lists, without members' own items. */
async function seenBy({ who, path, secret }: Credential, own: ReadonlySet<string>) {
  const { status, body } = await askAs<Preview>(who, { path });
  expect([path, status]).toEqual([path, 200]);
  const { visible } = body;
  const reader = createReader(secret, '2026', 'toolgate://');
  const names = visible.tools.map(({ name }) => name);
  if (visible.tools.length > 0)
    expect(names.toSorted()).toEqual(await reader.list(stage.gateways[1], 'tools'));
  return new Set(
    ITEM_FAMILIES.flatMap((family) =>
      visible[family].flatMap(({ id }) => (own.has(id) ? [] : [`${family} ${id}`])),
    ),
  );
}

const relationsOf = (table: readonly { relation: string }[]) =>
  table.map(({ relation }) => `can_${relation}`);
const nameOf = new Map(
  [...organizationPermissions, ...teamPermissions].map((one) => [
    `${one.context} can_${one.relation}`,
    one.grant ?? one.relation,
  ]),
);

type Holder = Pick<Principal, 'person' | 'credential' | 'subject' | 'context' | 'scopes'>;

/** Returns the names of what OpenFGA permits in the organization, or in the team. */
async function permittedTo(caller: Holder, organization_id: string, team_id: string | null) {
  const membership = `membership:${organization_id}.${caller.person}`;
  const [context, object, table] =
    team_id === null
      ? (['organization', membership, organizationPermissions] as const)
      : (['team', `team_seat:${team_id}.${caller.person}`, teamPermissions] as const);
  const relations = relationsOf(table);
  const answers = await retried(() =>
    parts.authz.checkEach(
      caller,
      relations.map((relation) => ({ object, relation })),
    ),
  );
  const managing = await retried(() =>
    parts.authz.check(caller, ['can_manage_every_team'], membership),
  );
  const managesAll =
    team_id !== null &&
    caller.credential.kind === 'session' &&
    managing.get('can_manage_every_team') === true;
  return new Set(
    relations.flatMap((relation, index) =>
      managesAll || answers[index] === true ? nameOf.get(`${context} ${relation}`)! : [],
    ),
  );
}

/** Everything that a preview predicts, by subject. */
type Observed = Map<string, { items: Set<string>; permissions: Set<string> }>;

async function observe(
  { id: organization_id, members }: BuiltOrganization,
  credentials: readonly Credential[],
  { team_id, comparesPermissions }: { team_id: string | null; comparesPermissions: boolean },
): Promise<Observed> {
  const own = new Set(
    members.flatMap(({ oracle: { me } }) =>
      ITEM_FAMILIES.flatMap((family) => me[family].map(({ id }) => id)),
    ),
  );
  const seen: Observed = new Map();
  for (const one of credentials) {
    const none = !comparesPermissions || one.account_id === null;
    const principal = none
      ? null
      : one.path.includes('connections')
        ? await parts.credentials.authenticateTokenForRest(one.secret, organization_id, fromHere)
        : await parts.credentials.authenticateForRest(one.secret, organization_id, fromHere);
    seen.set(one.id, {
      items: await seenBy(one, one.isShared ? own : new Set()),
      permissions: principal
        ? await permittedTo(principal, organization_id, team_id)
        : new Set<string>(),
    });
  }
  if (comparesPermissions)
    for (const { person } of members) {
      const { account_id } = person;
      const member = await parts.organizations.delegation.findMember({
        ...{ organization_id, account_id },
      });
      const permissions = await permittedTo(member!, organization_id, team_id);
      seen.set(account_id, { items: new Set(), permissions });
    }
  return seen;
}

/** Returns what changed, as a preview shows it. */
function changesBetween(before: Observed, after: Observed) {
  const changes = [...after].map(([id, { items, permissions }]) => {
    const earlier = before.get(id)!;
    return {
      id,
      gained: [...items.difference(earlier.items)].toSorted(),
      lost: [...earlier.items.difference(items)].toSorted(),
      permissions_gained: [...permissions.difference(earlier.permissions)].toSorted(),
      permissions_lost: [...earlier.permissions.difference(permissions)].toSorted(),
    };
  });
  return changes
    .filter(({ id: _id, ...lists }) => Object.values(lists).some(({ length }) => length > 0))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function predictedBy({ gained, lost }: ChangePreview): ReturnType<typeof changesBetween> {
  const ids = new Set([...gained, ...lost].map(({ subject }) => subject.id));
  return [...ids].toSorted().map((id) => {
    const [gain, loss] = [gained, lost].map((effects) =>
      effects.find(({ subject }) => subject.id === id),
    );
    const itemsOf = (effect: typeof gain) =>
      ITEM_FAMILIES.flatMap((family) =>
        (effect?.items[family] ?? []).map((one) => `${family} ${one.id}`),
      ).toSorted();
    return {
      ...{ id, gained: itemsOf(gain), lost: itemsOf(loss) },
      permissions_gained: (gain?.permissions ?? []).toSorted(),
      permissions_lost: (loss?.permissions ?? []).toSorted(),
    };
  });
}

const TEAM = /\/teams\/([^/]+)\/members/;

test(
  'in any organization, a preview predicts who gains and loses what by a change, and saves nothing',
  async () => {
    const [owner, ...members] = stage.tenants;
    const plans = fc.tuple(anyOrganization(builtIns), anyWrites(builtIns));
    await checkProperty(
      1,
      fc.asyncProperty(plans, async ([plan, writes]) => {
        const built = await buildOrganization({ owner: owner!, members }, plan, {
          ...{ joins, oauth, oracleWorld, upstream: stage.upstream },
        });
        const personal = await addPersonalKey(built);
        const credentials = [...credentialsOf(built), personal];
        const seated = new Set(
          built.members.flatMap(({ oracle: { seats }, person }) =>
            [...seats].flatMap(([team, roles]) =>
              roles === null ? [] : `${built.base}/teams/${team.id}/members/${person.account_id}`,
            ),
          ),
        );
        try {
          for (const one of writes) {
            const { who, request } = requestOf(built, one, seated);
            const { path, body } = request;
            const team_id = TEAM.exec(path)?.[1] ?? null;
            const comparesPermissions = ['role', 'member', 'seat'].includes(one.does);
            const compared = { team_id, comparesPermissions };
            const before = await observe(built, credentials, compared);
            const stored = await storedState(stage.world);
            const predicted = await askAs<ChangePreview>(who, { path: `${path}/preview`, body });
            expect(await storedState(stage.world)).toEqual(stored);
            const made = await askAs<{ errors?: object[] }>(who, request);
            if (request.method === 'POST' && made.status === 201)
              seated.add(`${path}/${(body as { account_id: string }).account_id}`);
            const after = await observe(built, credentials, compared);

            expect([path, predicted.status]).toEqual([path, 200]);
            expect(predicted.body.errors).toEqual(made.status < 300 ? [] : made.body.errors);
            expect(predicted.body.examined).toBe(predicted.body.total);
            expect({ path, body, changes: predictedBy(predicted.body) }).toEqual({
              ...{ path, body, changes: changesBetween(before, after) },
            });
          }
        } finally {
          await askAs(personal.who, { method: 'DELETE', path: `/api/keys/${personal.id}` });
          await built.end();
        }
      }),
      360_000,
    );
  },
  scaledTimeout(400_000),
);
