import { expect, test } from 'vitest';
import { createOtlpReceiver } from '../../support/peers/otlp-receiver.ts';
import { startUpstreamServer } from '../../support/peers/upstream-server.ts';
import { invited } from '../../support/people/invitations.ts';
import { askAs, createOrganization, createRole } from '../../support/people/organizations.ts';
import { createKey, newEmail, oneAddress, signUp } from '../../support/people/people.ts';
import { createTeam } from '../../support/people/teams.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { create } from './content-items.ts';
import { CAPABILITIES, createAgent, namesIn } from './union.ts';

const upstream = await closeAfterTests(startUpstreamServer());
const world = await closeAfterTests(createWorld({ ...oneAddress, OUTBOUND_ALLOW: upstream.host }));
const receiver = await closeAfterTests(createOtlpReceiver());

/** Starts a gateway that sends its spans to the receiver. */
const startTraced = () => world.gateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });

/** Stops the gateway; returns its metrics and the spans that all gateways have sent. */
async function telemetryOf({ url, service }: Gateway) {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  await service.close();
  const sentTo = (path: string) =>
    receiver.requests.map((request) => (request.path === path ? request.text : '')).join('');
  return { metrics, traces: sentTo('/v1/traces'), records: sentTo('/v1/logs') };
}

test('metrics and traces name no organization, team, role, member or invitation', async () => {
  const gateway = await startTraced();
  const owner = await signUp(world, gateway, 'owner');
  const stranger = await signUp(world, gateway, 'stranger');
  const key = await createKey(owner);
  const acme = await createOrganization(owner, 'Unmistakable Incorporated');
  const path = `/api/organizations/${acme.id}`;
  const team = await createTeam(owner, acme.id, 'unmistakable_team');
  const role = await createRole(owner, acme.id, { name: 'Unmistakable role' });
  const email = newEmail('unmistakable');
  const { id: invitation, token } = await invited(world, owner, { id: acme.id, email });
  const paths = [
    ...[path, `${path}/members/${owner.account_id}`, `${path}/roles/${role.id}`],
    ...[`${path}/teams/${team.id}/members`, `${path}/audit`, `${path}/usage`, `${path}/billing`],
    ...[`${path}/invitations`, `/api/invitations/${token}`, `${path}/unknown`],
  ];
  for (const one of paths) {
    await askAs(owner, { path: one });
    await askAs(stranger, { path: one });
    await owner.person.ask({ path: one, headers: { 'x-api-key': key.secret } });
  }
  // Both are refused: the first by the plan's limit, the second because the name is taken.
  await askAs(owner, { path: '/api/organizations', body: { name: 'Unmistakable Second' } });
  await askAs(owner, { path: `${path}/roles`, body: { name: 'Unmistakable role' } });
  const { metrics, traces, records } = await telemetryOf(gateway);

  expect(metrics).toContain('route="/api/organizations/:organization_id/audit"');
  expect(traces).toContain('/api/organizations/:organization_id/audit');
  const names = [acme.id, team.id, role.id, invitation, token, email, 'nmistakable'];
  for (const name of [...names, owner.account_id, stranger.account_id, key.id])
    for (const text of [metrics, traces]) expect(text).not.toContain(name);
  // Log records of decisions say by their ids who was denied what.
  expect(records).toContain(stranger.account_id);
  for (const name of [token, email, 'nmistakable']) expect(records).not.toContain(name);
});

test('calls over MCP of items in a team, the catalog and `me/` leave no name of them in metrics and traces', async () => {
  const gateway = await startTraced();
  const owner = await signUp(world, gateway, 'owner');
  const { id } = await createOrganization(owner, 'Unmistakable Incorporated');
  const path = `/api/organizations/${id}`;
  const team = await createTeam(owner, id, 'unmistakable_team');
  const teamPath = `${path}/teams/${team.id}`;
  const name = 'unmistakable_item';
  for (const space of [path, teamPath, `${path}/me`])
    for (const family of ['custom-tools', 'prompts', 'resources', 'agents'] as const)
      await create(owner, space, family, {
        ...(family === 'resources' ? { path: `${name}.md` } : { name }),
        ...(family === 'custom-tools' ? { http: { method: 'GET', url: upstream.origin } } : {}),
      });
  const scoped = await createKey(owner, { org_scope: id, mcp_capabilities: CAPABILITIES });
  const { body: owned } = await askAs<{ id: string; secret: string }>(owner, {
    path: `${path}/keys`,
    body: { name: 'Unmistakable robot', mcp_capabilities: CAPABILITIES },
  });

  for (const { secret } of [scoped, owned]) {
    const agent = createAgent(gateway, secret);
    await agent.seen();
    const places = ['', team.name, ...(secret === scoped.secret ? ['me'] : [])];
    for (const { tools, prompts, resources, agents } of places.map((one) => namesIn(one, name))) {
      expect((await agent.call(tools[0]!)).result.isError ?? false).toBe(false);
      for (const [family, [one]] of Object.entries({ prompts, resources, agents }))
        expect([one, await agent.reads(family as 'prompts', one!)]).toEqual([one, true]);
    }
    // Names that are not there, and one that the key may not call.
    await agent.call('unmistakable_team__absent');
    await agent.call('calculator');
  }
  const { metrics, traces, records } = await telemetryOf(gateway);

  expect(metrics).toContain('tool="custom"');
  expect(traces).toContain('run tool');
  const ids = [id, team.id, scoped.id, owned.id, owner.account_id];
  for (const hidden of [...ids, scoped.secret, owned.secret, 'nmistakable'])
    for (const text of [metrics, traces]) expect(text).not.toContain(hidden);
  for (const hidden of [scoped.secret, owned.secret, 'nmistakable'])
    expect(records).not.toContain(hidden);
});
