import { expect, test } from 'vitest';
import { askAs } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createAcme, createKey } from './acme.ts';
import { differences, entriesOf, review } from './review-client.ts';

const teams = await useTeams();
const PERMISSIONS = [
  'can_view_organization_roles',
  'can_view_organization_audit',
  'can_update_organization_members',
  'can_create_team_tools',
  'can_delete_organization',
];

test('the entries of a review are what live answers say about every subject', async () => {
  const { base, id, owner, mia, team_id } = await createAcme(teams);
  const grants = [
    {
      scope: { type: 'org', org_id: id },
      permissions: ['can_view_organization_roles', 'can_create_team_tools'],
    },
  ];
  await createKey(mia, '/api/keys', { org_scope: id, grants, team_ids: [team_id] });
  await createKey(mia, '/api/keys', { grants });

  const taken = await review(owner, base);
  const entries = await entriesOf(owner, base, taken.id);

  expect(taken).toMatchObject({ name: 'Spring', status: 'open', created_by: { kind: 'user' } });
  expect(taken.counts).toMatchObject({ entries: entries.length, undecided: entries.length });
  expect(entries.map(({ subject }) => subject.kind)).toEqual([
    ...['member', 'member', 'member', 'key', 'key', 'key', 'organization_key'],
  ]);
  expect(await differences(owner, base, entries, PERMISSIONS)).toEqual([]);
});
