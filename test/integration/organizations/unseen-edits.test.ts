import { expect, test } from 'vitest';
import type { SendRequest } from '../../support/people/people.ts';
import { askAs, MEMBER } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';

const invite = (email: string): SendRequest => ({
  path: `${path}/invitations`,
  body: { email, role_ids: [MEMBER], teams: [] },
});

const teams = await useTeams();
const acme = await teams.organization();
const path = `/api/organizations/${acme.id}`;
const created = await askAs<{ id: string }>(acme.owner, invite('first@example.org'));
const invitation = `${path}/invitations/${created.body.id}`;
const patch = (what: string, body: object): SendRequest => ({ method: 'PATCH', path: what, body });

async function contentOf(id: string): Promise<unknown> {
  const [scope] = await teams.world.query('SELECT content FROM authz_scope WHERE id = $1', [id]);
  return scope!['content'];
}

test.each<[string, () => SendRequest]>([
  ['renaming an organization', () => patch(path, { name: 'Other' })],
  ['editing its billing contact', () => patch(`${path}/billing`, { contact: { name: 'Ann' } })],
  ['inviting an address', () => invite('second@example.org')],
  ['resending an invitation', () => ({ method: 'POST', path: `${invitation}/resend` })],
  ['revoking an invitation', () => ({ method: 'DELETE', path: invitation })],
  ['describing a team', () => patch(acme.path, { description: 'All of us.' })],
])('%s moves nothing that clients of MCP list', async (_what, requestOf) => {
  const before = await contentOf(acme.id);

  expect((await askAs(acme.owner, requestOf())).status).toBeLessThan(300);

  expect(await contentOf(acme.id)).toEqual(before);
});

test('renaming a team changes the names that clients of MCP list', async () => {
  const before = await contentOf(acme.id);

  expect((await askAs(acme.owner, patch(acme.path, { name: 'blue' }))).status).toBe(200);

  expect(await contentOf(acme.id)).not.toEqual(before);
});
