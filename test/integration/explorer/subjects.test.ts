import { expect, test } from 'vitest';
import type { SubjectAccess } from '../../../src/explorer/schema.ts';
import { askAs } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createAcme, createKey, read } from './acme.ts';

const teams = await useTeams();

const named = (items: readonly { name: string; system?: boolean | undefined }[]) =>
  items.filter(({ system }) => system !== true).map(({ name }) => name);

test('the access of a member has the permissions and items that requests of the member would get', async () => {
  const { ada, base, mia, team_id } = await createAcme(teams);

  const seen = await read<SubjectAccess>(ada, `${base}/members/${mia.account_id}/access`);

  expect(seen.subject).toMatchObject({ kind: 'member', id: mia.account_id, follows: true });
  expect(seen.permissions).toEqual(['can_view_organization_roles']);
  expect(seen.team_permissions).toEqual([
    {
      team: { id: team_id, name: expect.any(String) },
      permissions: ['can_view_team_tools', 'can_create_team_tools'],
    },
  ]);
  expect(seen.capabilities).toEqual(['tools', 'resources', 'prompts', 'agents']);
  expect(named(seen.visible.tools)).toEqual(['calculator']);
});

test('the access of a member’s key has its items, and no permissions without a grant', async () => {
  const { ada, base, key, mia } = await createAcme(teams);

  const seen = await read<SubjectAccess>(ada, `${base}/keys/${key.id}/access`);

  expect(seen.subject).toMatchObject({ kind: 'key', owner: { account_id: mia.account_id } });
  expect([seen.permissions, seen.team_permissions]).toEqual([[], []]);
  expect(named(seen.visible.tools)).toEqual(['calculator']);
});

test('a key with grants has those permissions in its answer that its owner still holds', async () => {
  const { ada, base, id, mia } = await createAcme(teams);
  const permissions = ['can_view_organization_roles', 'can_create_team_tools'];
  const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
  const key = await createKey(mia, '/api/keys', { org_scope: id, grants });

  const seen = await read<SubjectAccess>(ada, `${base}/keys/${key.id}/access`);

  expect(seen.permissions).toEqual(['can_view_organization_roles']);
  expect(seen.team_permissions.map((one) => one.permissions)).toEqual([
    ['can_view_team_tools', 'can_create_team_tools'],
  ]);
});

test('the access of a role and of a team show what they give', async () => {
  const { ada, base, role, team_id } = await createAcme(teams);

  const ofRole = await read<SubjectAccess>(ada, `${base}/roles/${role.id}/access`);
  const ofTeam = await read<SubjectAccess>(ada, `${base}/teams/${team_id}/access`);

  expect([ofRole.subject.kind, ofRole.permissions]).toEqual([
    'role',
    ['can_view_organization_roles'],
  ]);
  expect([ofTeam.subject.kind, named(ofTeam.visible.tools)]).toEqual(['team', ['calculator']]);
});

test('only those who may read the audit log see the access of others, and never of another organization', async () => {
  const { base, mia, key } = await createAcme(teams);
  const other = await createAcme(teams);

  const denied = await askAs(mia, { path: `${base}/members/${mia.account_id}/access` });
  const foreign = await askAs(other.ada, { path: `${other.base}/keys/${key.id}/access` });

  expect([denied.status, foreign.status]).toEqual([403, 404]);
});

test('a person asks for the access of their own credentials, with the items of their own space', async () => {
  const { base, mia, ada, key, id } = await createAcme(teams);
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_create_prompts'] }];
  const personal = await createKey(mia, '/api/keys', { grants });
  const prompt = { name: 'note', messages: [{ role: 'user', content: 'Hello' }] };
  await askAs(mia, { path: `${base}/me/prompts`, body: prompt });
  const ofKey = (one: { id: string }) => `/api/me/access/keys/${one.id}`;

  const inOrganization = await read<SubjectAccess>(mia, ofKey(key));
  const inAccount = await read<SubjectAccess>(mia, ofKey(personal));
  const shown = await read<SubjectAccess>(ada, `${base}/keys/${key.id}/access`);
  const foreign = await askAs(ada, { path: ofKey(key) });

  expect(named(inOrganization.visible.prompts)).toEqual(['me/note']);
  expect(inAccount.permissions).toEqual(['can_view_prompts', 'can_create_prompts']);
  expect(inAccount.subject.owner?.account_id).toBe(mia.account_id);
  // An auditor learns no name of what members have in their own spaces.
  expect(JSON.stringify(shown)).not.toContain('note');
  expect([foreign.status, id]).toEqual([404, id]);
});
