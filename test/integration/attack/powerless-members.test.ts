import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';
import { invite } from '../../support/people/invitations.ts';
import { askAs, createRole } from '../../support/people/organizations.ts';
import { createKey, newEmail } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { CAPABILITIES, createAgent } from '../organizations/union.ts';

const teams = await useTeams();
const oauth = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
const acme = await teams.organization();
const { id, owner } = acme;
const name = (what: string) => `secret-${what}-${randomUUID().slice(0, 8)}`;
/** Texts that each need a permission which `powerless` lacks. */
const gated: Record<string, string> = {
  ...{ role: name('role'), team: name('team'), team_role: name('tr'), key: name('key') },
  ...{ client: name('client'), invited: newEmail('secret-invited'), item: name('item') },
};
const role = await createRole(owner, id, {
  name: gated['role']!,
  permissions: ['can_view_organization_usage'],
});
const other = await teams.join(id, 'other', [role.id]);
Object.assign(gated, { owner: owner.email, member: other.email });
const plain = { name: 'Plain', capabilities: CAPABILITIES };
const powerless = await teams.join(id, 'powerless', [(await createRole(owner, id, plain)).id]);
const hidden = await createTeam(owner, id, gated['team']!);
const team_role = await createTeamRole(owner, `/api/organizations/${id}/team-roles`, {
  name: gated['team_role']!,
});
await seatsOf(id, hidden.id).add(owner, other, [team_role.id]);
const invitation = await invite(owner, id, gated['invited']!);
const key = await askAs<{ id: string }>(owner, {
  path: `/api/organizations/${id}/keys`,
  body: { name: gated['key'], permissions: [], mcp_capabilities: [] },
});
const prompt = await askAs<{ id: string }>(owner, {
  path: `${seatsOf(id, hidden.id).path}/prompts`,
  body: { name: gated['item'], messages: [{ role: 'user', content: 'Hello.' }] },
});
expect([invitation.status, key.status, prompt.status]).toEqual([201, 201, 201]);
const gatedClient = await oauth.client({ owner: { organization_id: id }, scopes: ['mcp_tools'] });
await teams.world.query('UPDATE oauth_client SET name = $1 WHERE id = $2', [
  gated['client'],
  gatedClient.id,
]);
const ids: Record<string, string> = {
  ...{ organization_id: id, team_id: hidden.id, role_id: role.id, key_id: key.body.id },
  ...{ invitation_id: invitation.body.id, account_id: other.account_id, client_id: gatedClient.id },
};

/** Returns the paths of all reads in the organization, with ids that exist. */
async function readPaths(): Promise<string[]> {
  const routes = (await declaredRoutes()).filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/api/organizations'),
  );
  return routes.map(({ path }) =>
    path.replaceAll(/\{(\w+)\}/g, (_, field: string) => ids[field] ?? randomUUID()),
  );
}
const shownIn = (text: string) =>
  Object.entries(gated)
    .filter(([, secret]) => text.includes(secret))
    .map(([what]) => what);

const tokenOf = async () => {
  const client = await oauth.client({
    ...{ owner: { organization_id: acme.id }, scopes: ['mcp_tools', 'mcp_prompts'] },
  });
  return `Bearer ${await oauth.token(await oauth.authorize(client, powerless))}`;
};
const keyOf = async (fields: object) =>
  (await createKey(powerless, { mcp_capabilities: CAPABILITIES, ...fields })).secret;

const emptyGrants = () => [{ scope: { type: 'org', org_id: acme.id }, permissions: [] }];

async function readAll(headers: Record<string, string>) {
  const answers = [];
  for (const path of await readPaths()) {
    const response = await fetch(`${teams.gateway.url}${path}`, { headers });
    answers.push({ path, status: response.status, shown: shownIn(await response.text()) });
  }
  return answers;
}

test('the Owner is shown all that these tests look for', async () => {
  const answers = await readAll(acme.owner.bearer);

  expect([...new Set(answers.flatMap(({ shown }) => shown))].toSorted()).toEqual(
    Object.keys(gated).toSorted(),
  );
});

test.each<[string, () => Promise<Record<string, string>>]>([
  ['session', async () => ({ ...powerless.bearer })],
  ['key', async () => ({ 'x-api-key': await keyOf({ grants: emptyGrants() }) })],
  ['token', async () => ({ authorization: await tokenOf() })],
])(
  'no list or record shows a member without permissions, by a %s, what another route asks a permission for',
  async (_kind, headersOf) => {
    const answers = await readAll(await headersOf());

    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(2);
    expect(answers.filter(({ shown }) => shown.length > 0)).toEqual([]);
  },
);

test('no preview, personal audit log, MCP list or refusal shows it', async () => {
  const asked = [
    await askAs(powerless, {
      path: '/api/keys/preview',
      body: { name: 'x', mcp_capabilities: CAPABILITIES, org_scope: acme.id, grants: [] },
    }),
    await askAs(powerless, {
      path: '/api/keys',
      body: {
        ...{ name: 'y', mcp_capabilities: CAPABILITIES, org_scope: acme.id },
        team_ids: [ids['team_id']],
      },
    }),
    await askAs(powerless, { path: '/api/me/audit' }),
    await askAs(powerless, { path: '/api/user/export' }),
  ];
  expect(asked.map(({ status }) => status)).toEqual([200, 422, 200, 200]);
  const seen = await createAgent(teams.gateway, await keyOf({ org_scope: acme.id })).seen();

  expect(shownIn(JSON.stringify([asked.map(({ body }) => body), seen]))).toEqual([]);
});
