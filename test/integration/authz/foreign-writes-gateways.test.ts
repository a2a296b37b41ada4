import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createEngine } from '../../../src/authz/engine/client.ts';
import type { Tuple } from '../../../src/authz/tuple.ts';
import { ADMIN, askAs, createRole, MEMBER, OWNER } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { createTeam, createTeamRole, reader, seatsOf } from '../../support/people/teams.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';

/** Rounds of changes; 400 make about ten thousand changes of authority. */
const ROUNDS = Number(process.env['FOREIGN_WRITES_ROUNDS'] ?? 12);
/** A finding is due within a minute. */
const DUE = { timeout: 60_000, interval: 1_000 };

const { world, gateway, otherGateway, ...teams } = await useTeams();
const gateways = [gateway, otherGateway];
const [deployment] = await world.query<{ model_id: string }>(
  'SELECT model_id FROM authz_deployment',
);
const engine = createEngine({
  apiUrl: world.env['OPENFGA_API_URL']!,
  apiToken: world.env['OPENFGA_API_TOKEN'],
  storeId: world.env['OPENFGA_STORE_ID']!,
  modelId: deployment!.model_id,
  deadlineMs: 5_000,
});

const writeForeign = async (tuple: Tuple) =>
  expect(await engine.write({ writes: [tuple], deletes: [] })).toBe('written');
const deleteForeign = async (tuple: Tuple) =>
  expect(await engine.write({ writes: [], deletes: [tuple] })).toBe('written');

/** Returns the sum of the counters of all gateways. */
async function counted(): Promise<number> {
  const counts = await Promise.all(
    gateways.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      expect(text).toContain('# TYPE toolgate_authz_foreign_writes_total counter');
      return Number(/^toolgate_authz_foreign_writes_total (\d+)$/m.exec(text)?.[1]);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const health = ({ url }: { url: string }) =>
  fetch(`${url}/health`).then(async (answer) => ({
    status: answer.status,
    body: (await answer.json()) as object,
  }));

const auditOf = async (who: SignedUp, path: string) => {
  const { status, body } = await askAs<{ data: object[] }>(who, {
    path: `${path}/audit?action=authz.foreign_write`,
  });
  expect(status).toBe(200);
  return body.data;
};

const entryOf = (operation: string, tuple: Tuple, target: object[]) =>
  expect.objectContaining({
    actor: expect.objectContaining({ kind: 'system', id: null }),
    ...{ action: 'authz.foreign_write', outcome: 'done', target },
    detail: { operation, tuple, written_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  });

async function succeed<Body = { id: string }>(who: SignedUp, request: SendRequest): Promise<Body> {
  const { status, body } = await askAs<Body>(who, request);
  if (status >= 300) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Makes one change of each kind, with keys, roles, teams and members of an organization. */
async function changeAll(owner: SignedUp, member: SignedUp, id: string): Promise<void> {
  const path = `/api/organizations/${id}`;
  const name = randomUUID().slice(0, 18);
  const [role, other, team] = [
    await createRole(owner, id, { name, capabilities: ['tools', 'prompts'] }),
    await createRole(owner, id, { name: `${name} 2` }),
    await createTeam(owner, id, name),
  ];
  const teamRole = await createTeamRole(owner, `${path}/team-roles`, { ...reader, name });
  await teams.joins.add(id, member, [role.id, MEMBER]);
  const seats = seatsOf(id, team.id);
  await seats.add(owner, member, [teamRole.id]);
  const key = await succeed(owner, {
    path: `${path}/keys`,
    body: { name, team_ids: [team.id], mcp_capabilities: ['tools'] },
  });
  const own = await succeed(member, {
    path: '/api/keys',
    body: { name, org_scope: id, mcp_capabilities: ['tools', 'prompts'] },
  });
  const patch = (who: SignedUp, at: string, body: object) =>
    succeed(who, { method: 'PATCH', path: at, body });
  // One that is sent again after a 503 may find that it was done.
  const remove = async (who: SignedUp, at: string, body?: object) =>
    expect([204, 404]).toContain(
      (await askAs(who, { method: 'DELETE', path: at, ...(body && { body }) })).status,
    );
  await Promise.all([
    patch(owner, `${path}/keys/${key.id}`, { mcp_capabilities: ['resources'] }),
    patch(member, `/api/keys/${own.id}`, { mcp_capabilities: [] }),
    patch(owner, `${path}/roles/${role.id}`, { permissions: ['can_view_organization_members'] }),
  ]);
  await patch(owner, `${path}/members/${member.account_id}`, { role_ids: [ADMIN] });
  await seats.setRoles(owner, member, []);
  await remove(owner, `${path}/roles/${other.id}`);
  await remove(owner, `${path}/roles/${role.id}`);
  await remove(member, `/api/keys/${own.id}`);
  await remove(owner, `${path}/teams/${team.id}`, { confirm: name });
  await remove(owner, `${path}/members/${member.account_id}`);
  await remove(owner, `${path}/keys/${key.id}`);
  await remove(owner, `${path}/team-roles/${teamRole.id}`);
}

test(
  'a tuple that is written or deleted directly is one finding in metrics, health and audit, own changes none',
  { timeout: 200_000 + ROUNDS * 5_000 },
  async () => {
    const created = await teams.organization();
    const { id, owner } = created;
    const path = `/api/organizations/${id}`;
    await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [owner.account_id]);
    await world.query("UPDATE organization SET plan = 'enterprise' WHERE id = $1", [id]);
    const members = await Promise.all(
      Array.from({ length: 4 }, (_, index) => signUp(world, gateways[index % 2]!, `m${index}`)),
    );
    await Promise.all(
      members.map(async (member, index) => {
        for (let round = index; round < ROUNDS; round += members.length)
          await changeAll(owner, member, id);
      }),
    );
    const deleted = await teams.organization();
    await teams.join(deleted.id, 'last');
    await succeed(deleted.owner, {
      method: 'DELETE',
      path: `/api/organizations/${deleted.id}`,
      body: { confirm: 'Acme', current_password: deleted.owner.password },
    });
    const [changes] = await world.query<{ count: string }>('SELECT count(*) FROM authz_outbox');
    expect(Number(changes!.count)).toBeGreaterThan(ROUNDS * 14);
    for (const one of gateways) expect(await health(one)).toMatchObject({ status: 200 });
    const healthy = await health(gateway);
    expect(healthy.body).not.toHaveProperty('warnings');

    const escalation = {
      ...{ user: `org_role:${OWNER}`, relation: 'role' },
      object: `membership:${id}.${members[0]!.account_id}`,
    };
    await writeForeign(escalation);

    await expect.poll(counted, DUE).toBe(1);
    for (const one of gateways)
      expect(await health(one)).toEqual({
        status: 200,
        body: { status: 'healthy', warnings: ['authz_foreign_writes'] },
      });
    const target = [{ type: 'organization', id }];
    const first = entryOf('write', escalation, target);
    expect(await auditOf(owner, path)).toEqual([first]);
    await deleteForeign(escalation);
    await expect.poll(counted, DUE).toBe(2);
    expect(await auditOf(owner, path)).toEqual([entryOf('delete', escalation, target), first]);
    console.info(`${changes!.count} changes of authority, 2 findings`);
  },
);

test('a foreign write on an account is in the audit log of the account alone', async () => {
  const before = await counted();
  const [ada, eve] = [await signUp(world, gateway, 'ada'), await signUp(world, gateway, 'eve')];
  const account = `account:${ada.account_id}`;
  const session = { user: `user:${ada.account_id}`, relation: 'session', object: account };
  await deleteForeign(session);
  await writeForeign(session);
  await writeForeign({ ...session, object: 'account:nobody' });

  await expect.poll(counted, DUE).toBe(before + 3);
  const target = [{ type: 'account', id: ada.account_id }];
  const entries = await auditOf(ada, '/api/me');
  expect(entries).toHaveLength(2);
  for (const operation of ['write', 'delete'])
    expect(entries).toContainEqual(entryOf(operation, session, target));
  expect(await auditOf(eve, '/api/me')).toEqual([]);
});

test('a gateway that starts later finds nothing again, and a repair ends the warning', async () => {
  const before = await counted();
  const started = await world.gateway();
  expect(await health(started)).toMatchObject({ body: { warnings: ['authz_foreign_writes'] } });

  for await (const _ of started.service.drift({ repair: true }));
  await deleteForeign({ user: 'everyone:live#any', relation: 'owns', object: 'org_role:owner' });
  gateways.push(started);
  await expect.poll(counted, DUE).toBe(before + 1);
  for await (const _ of started.service.drift({ repair: true }));

  await expect
    .poll(() => health(started), { timeout: 5_000 })
    .toEqual({ status: 200, body: { status: 'healthy' } });
  const rows = await world.query<{ count: string }>(
    "SELECT count(*) FROM audit_event WHERE action = 'authz.foreign_write'",
  );
  expect(rows).toEqual([{ count: String(before + 1) }]);
});
