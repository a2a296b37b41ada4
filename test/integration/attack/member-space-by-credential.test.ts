import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { askAs, createRole } from '../../support/people/organizations.ts';
import { createKey } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { startSdkV2 } from '../../support/upstreams/sdk-v2.ts';
import { draftOf, FAMILIES } from '../organizations/content-items.ts';

const server = await closeAfterTests(startSdkV2());
const teams = await useTeams({ OUTBOUND_ALLOW: '127.0.0.1' });
const oauth = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
const { id, owner } = await teams.organization();
const role = {
  ...{ name: 'Reader', capabilities: ['tools'] },
  permissions: ['can_view_organization_members'],
};
const mia = await teams.join(id, 'mia', [(await createRole(owner, id, role)).id]);
const [organization_id, space] = [id, `/api/organizations/${id}/me`];
const create = async (path: string, body: object) =>
  (await askAs<{ id: string }>(mia, { path: `${space}/${path}`, body })).body.id;
const reads: string[] = [];
for (const family of FAMILIES) {
  const item = `${space}/${family}/${await create(family, draftOf(family))}`;
  reads.push(`${space}/${family}`, item, `${item}/versions`, `${item}/versions/1`);
}
const upstream = await create('upstreams', {
  ...{ name: 'own', url: server.url, headers: { Authorization: 'Bearer stored by mia' } },
});
reads.push(`${space}/prompts/scopable`, `${space}/custom-tools/scopable`, `${space}/upstreams`);
reads.push(`${space}/upstreams/${upstream}`, `${space}/upstreams/${upstream}/tools`);

async function tokenWith(scopes: readonly string[]) {
  const client = await oauth.client({ owner: { organization_id }, scopes });
  return { authorization: `Bearer ${await oauth.token(await oauth.authorize(client, mia))}` };
}

async function keyWith(permissions: readonly string[], fields: object = {}) {
  const grants = [{ scope: { type: 'org', org_id: organization_id }, permissions }];
  return { 'x-api-key': (await createKey(mia, { grants, ...fields })).secret };
}

test.each<[string, () => Promise<Record<string, string>>]>([
  ['a token with one management scope', () => tokenWith(['read:organization_members'])],
  ['a token with only mcp_tools', () => tokenWith(['mcp_tools'])],
  ['a key with one grant', () => keyWith(['can_view_organization_members'])],
  ['a key with an empty list of permissions', () => keyWith([])],
  [
    'a key that runs in the organization',
    () => keyWith([], { org_scope: organization_id, mcp_capabilities: ['tools'] }),
  ],
])(
  '%s reads nothing of its person’s own space over REST, and sends nothing to the person’s upstreams',
  async (_what, credential) => {
    const headers = await credential();
    const sent = server.seen.length;

    for (const path of reads) {
      const response = await fetch(`${teams.gateway.url}${path}`, { headers });
      const { errors, ...rest } = (await response.json()) as { errors: { code: string }[] };
      expect([path, response.status, errors?.[0]?.code]).toEqual([path, 403, 'interactive_only']);
      expect(rest).toEqual({});
    }
    expect(server.seen.length).toBe(sent);
  },
);

test('a member’s session reads the member’s own space, and lists the tools of an upstream there', async () => {
  for (const path of reads)
    expect([path, (await askAs(mia, { path })).status]).toEqual([path, 200]);
  expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer stored by mia');
});
