import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import {
  askAs,
  at,
  createOrganization,
  createRole,
  outcomeOf,
} from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import { createKey, signInAs, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';

const teams = await useTeams();
const ada = await signUp(teams.world, teams.gateway);
// The enterprise plan lets one person own many organizations.
await teams.gateway.service.setAccountPlan(ada.account_id, 'enterprise');
/** The same session at the other gateway. */
const there = at(ada, teams.otherGateway);

interface Created {
  id: string;
  name: string;
  secret?: string;
}

const create = (who: SignedUp, path: string, body: object, key: string) =>
  askAs<Created>(who, { path, body, headers: { 'idempotency-key': key } });
const createOwn = (key: string, body: object = { name: `key ${key}`, mcp_capabilities: [] }) =>
  create(ada, '/api/keys', body, key);
const list = async (path: string, who = ada) =>
  (await askAs<{ data: Created[] }>(who, { path: `${path}?limit=200` })).body.data;
const promptOf = (key: string) => ({
  name: `p${key.slice(0, 8)}`,
  messages: [{ role: 'user', content: 'Hello.' }],
});
const namesOf = (created: readonly Created[]) => created.map(({ name }) => name);

describe('a request that is repeated with its Idempotency-Key', () => {
  test('gets the first response again from any gateway, with its secret, and creates nothing', async () => {
    const body = { name: 'deploy', mcp_capabilities: ['tools'] };
    const key = randomUUID();

    const first = await createOwn(key, body);
    const again = await create(there, '/api/keys', body, key);

    expect(first.status).toBe(201);
    expect(first.body.secret).toMatch(/^sk_/);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(JSON.stringify(again.body)).toBe(JSON.stringify(first.body));
    expect(namesOf(await list('/api/keys')).filter((name) => name === 'deploy')).toHaveLength(1);
  });

  test('gets the ETag again, and the first content, even if it was changed or deleted', async () => {
    const key = randomUUID();
    const body = promptOf(key);
    const first = await create(ada, '/api/me/prompts', body, key);
    const path = `/api/me/prompts/${first.body.id}`;
    await askAs(ada, { method: 'PATCH', path, body: { messages: [] } });
    await askAs(ada, { method: 'DELETE', path });

    const again = await create(there, '/api/me/prompts', body, key);

    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(first.headers.get('etag')).not.toBeNull();
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  test('gets the first response again, not what the thing has become', async () => {
    const key = randomUUID();
    const body = { name: `First ${key}` };
    const first = await create(ada, '/api/organizations', body, key);
    const path = `/api/organizations/${first.body.id}`;
    await askAs(ada, { method: 'PATCH', path, body: { name: 'Renamed' } });

    const again = await create(there, '/api/organizations', body, key);

    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  test('may order the fields of its body differently, and use another credential of the person', async () => {
    const key = randomUUID();
    const organization = await createOrganization(ada, 'Ordered');
    const path = `/api/organizations/${organization.id}/roles`;
    const first = await create(ada, path, { name: 'Some', permissions: [] }, key);
    const grants = [
      {
        scope: { type: 'org', org_id: organization.id },
        permissions: ['can_create_organization_roles'],
      },
    ];
    const { secret } = await createKey(ada, { grants });
    const agent = { ...ada, bearer: { 'x-api-key': secret } as never };

    for (const who of [await signInAs(ada), agent]) {
      const again = await create(who, path, { permissions: [], name: 'Some' }, key);
      expect([again.status, again.body]).toEqual([201, first.body]);
    }
  });

  test('gets no secret with a credential that did not create it', async () => {
    const { owner, id } = await teams.organization();
    const support = await createConnectionsSupport(teams.world, teams.gateway);
    onTestFinished(support.close);
    const scopes = ['create:organization_keys'];
    const client = await support.client({ owner: { organization_id: id }, scopes });
    const connection = await support.authorize(client, owner, { scopes });
    const token = await support.token(connection);
    const asToken = { ...owner, bearer: { authorization: `Bearer ${token}` } };
    const path = `/api/organizations/${id}/keys`;
    const body = { name: 'deploy', mcp_capabilities: ['tools'] };
    const key = randomUUID();
    const first = await create(owner, path, body, key);

    const byToken = await create(asToken, path, body, key);
    const bySession = await create(await signInAs(owner), path, body, key);

    const { secret, ...rest } = first.body;
    expect(secret).toMatch(/^sk_/);
    expect([byToken.status, byToken.body]).toEqual([201, rest]);
    expect([bySession.status, bySession.body]).toEqual([201, first.body]);
  });

  test('is refused with 422 if its body is another one, even if only a field without effect is', async () => {
    const key = randomUUID();
    const body = { name: `own ${key}`, mcp_capabilities: [] };
    await createOwn(key, body);

    for (const other of [
      { ...body, name: 'another' },
      { ...body, unknown: 1 },
    ])
      expect(outcomeOf(await createOwn(key, other))).toEqual([422, 'idempotency_mismatch']);
    expect((await createOwn(key, body)).status).toBe(201);
  });

  test('creates one thing, however many arrive at once at two gateways', async () => {
    const key = randomUUID();
    const body = { name: `Once ${key}` };
    const sent = Array.from({ length: 12 }, (_, index) =>
      create(index % 2 === 0 ? ada : there, '/api/organizations', body, key),
    );

    const answers = await Promise.all(sent);

    const won = answers.filter(({ status }) => status === 201);
    const lost = answers.filter(({ status }) => status !== 201);
    expect(new Set(won.map(({ body: { id } }) => id)).size).toBe(1);
    for (const answer of lost) expect(outcomeOf(answer)).toEqual([409, 'idempotency_running']);
    expect(
      namesOf(await list('/api/organizations')).filter((name) => name === body.name),
    ).toHaveLength(1);
    expect((await create(there, '/api/organizations', body, key)).body.id).toBe(won[0]!.body.id);
  });

  test('is authorized again: who has lost the permission is refused', async () => {
    const { id, owner } = await teams.organization();
    const permissions = ['can_create_organization_roles'];
    const role = await createRole(owner, id, { name: 'Author', permissions });
    const mia = await teams.join(id, 'mia', [role.id]);
    const path = `/api/organizations/${id}/roles`;
    const key = randomUUID();
    const body = { name: 'Empty', permissions: [] };
    const first = await create(mia, path, body, key);
    expect(outcomeOf(first)).toEqual([201]);

    await askAs(owner, {
      method: 'PATCH',
      path: `/api/organizations/${id}/roles/${role.id}`,
      body: { permissions: [] },
    });

    for (const gateway of [teams.gateway, teams.otherGateway])
      expect(outcomeOf(await create(at(mia, gateway), path, body, key))).toEqual([
        403,
        'permission_denied',
      ]);
  });
});

describe('an Idempotency-Key', () => {
  test('belongs to one caller, one route and one path', async () => {
    const key = randomUUID();
    const ben = await signUp(teams.world, teams.gateway, 'ben');
    const { name } = promptOf(key);
    const [one, two] = [await createOrganization(ada, 'One'), await createOrganization(ada, 'Two')];
    const rolesOf = ({ id }: { id: string }) => `/api/organizations/${id}/roles`;
    const sent = [
      create(ada, '/api/organizations', { name }, key),
      create(ben, '/api/organizations', { name }, key),
      create(ada, '/api/me/prompts', promptOf(key), key),
      create(ada, '/api/keys', { name, mcp_capabilities: [] }, key),
      create(ada, rolesOf(one), { name, permissions: [] }, key),
      create(ada, rolesOf(two), { name, permissions: [] }, key),
    ];

    const answers = await Promise.all(sent);

    expect(answers.map(outcomeOf)).toEqual(sent.map(() => [201]));
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(sent.length);
  });

  test('of an organization’s key is not that of another one', async () => {
    const organization = await createOrganization(ada, 'Machines');
    const base = `/api/organizations/${organization.id}`;
    const permissions = ['can_create_organization_roles'];
    const grants = [{ scope: { type: 'org', org_id: organization.id }, permissions }];
    const keys = ['one', 'two'].map((name) =>
      createOwnedKey(`${base}/keys`, { name, mcp_capabilities: [], grants, team_ids: [] }),
    );
    const [one, two] = await Promise.all(keys);
    const key = randomUUID();
    const body = { name: 'Robots', permissions: [] };

    const first = await create(one!, `${base}/roles`, body, key);
    const again = await create(one!, `${base}/roles`, body, key);
    const other = await create(two!, `${base}/roles`, body, key);

    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.id).toBe(first.body.id);
    expect(outcomeOf(other)).toEqual([409, 'name_taken']);
  });

  /** Creates a key of an organization; returns who sends with it. */
  async function createOwnedKey(path: string, body: object) {
    const created = await askAs<Created & Errors>(ada, { path, body });
    expect(created.body.errors).toBeUndefined();
    return { ...ada, bearer: { 'x-api-key': created.body.secret! } as never };
  }

  test.each(['', ' ', 'a b', 'é', 'x'.repeat(65)])('%j is refused with 400', async (key) => {
    const answer = await createOwn(key, { name: 'malformed', mcp_capabilities: [] });

    expect(outcomeOf(answer)).toEqual([400, 'invalid_idempotency_key']);
    expect(namesOf(await list('/api/keys'))).not.toContain('malformed');
  });

  test('may have 64 visible characters', async () => {
    const key = '~!'.repeat(32);

    const [first, again] = [await createOwn(key), await createOwn(key)];

    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.id).toBe(first.body.id);
  });

  test('is ignored by routes that create nothing, and nothing is kept without one', async () => {
    const before = await countKept();

    const created = await askAs<Created>(ada, {
      ...{ path: '/api/keys', body: { name: `plain ${randomUUID()}`, mcp_capabilities: [] } },
    });
    const renamed = await askAs(ada, {
      ...{ method: 'PATCH', path: `/api/keys/${created.body.id}` },
      ...{ body: { name: `renamed ${randomUUID()}` }, headers: { 'idempotency-key': 'a b' } },
    });

    expect([created.status, renamed.status]).toEqual([201, 200]);
    expect(await countKept()).toBe(before);
  });

  async function countKept() {
    const [row] = await teams.world.query<{ count: string }>(
      'SELECT count(*) FROM idempotent_request',
    );
    return Number(row!.count);
  }
});

test('a refused request is not kept: once it is allowed, the same key creates', async () => {
  const key = randomUUID();
  const name = `taken-${key}`;
  const obstacle = await createOwn(randomUUID(), { name, mcp_capabilities: [] });
  const body = { name, mcp_capabilities: [] };
  expect(outcomeOf(await createOwn(key, body))).toEqual([409, 'name_taken']);
  await askAs(ada, { method: 'DELETE', path: `/api/keys/${obstacle.body.id}` });

  const created = await createOwn(key, body);

  expect(created.status).toBe(201);
  expect(created.body.id).not.toBe(obstacle.body.id);
});
