import { expect, test } from 'vitest';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { create } from '../organizations/content-items.ts';
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

const acme = await createAcme(teams);
const { base, id, owner, mia, ada, team_id } = acme;
const granted = ['can_view_organization_roles', 'can_create_team_tools'];
const grants = [{ scope: { type: 'org', org_id: id }, permissions: granted }];
const bound = await createKey(mia, '/api/keys', { org_scope: id, grants, team_ids: [team_id] });
const elsewhere = await createKey(mia, '/api/keys', { grants });

test('the entries of a review are what live answers say about every subject', async () => {
  const taken = await review(owner, base);
  const entries = await entriesOf(owner, base, taken.id);

  expect(taken).toMatchObject({ name: 'Spring', status: 'open' });
  expect(taken.created_by).toEqual({ kind: 'user', id: owner.account_id, email: owner.email });
  expect(taken.counts).toMatchObject({ entries: entries.length, undecided: entries.length });
  expect(entries.map(({ subject }) => subject.kind)).toEqual([
    ...['member', 'member', 'member', 'key', 'key', 'key', 'organization_key'],
  ]);
  expect(await differences(owner, base, entries, PERMISSIONS)).toEqual([]);
});

test('an entry that is wrong in the database differs from the live answers', async () => {
  const taken = await review(owner, base);
  await teams.world.query(
    `UPDATE access_review_entry e SET held_part = another.held_part
     FROM access_review_entry another
     WHERE e.review_id = $1 AND e.subject_id = $2
       AND another.review_id = $1 AND another.subject_id = $3`,
    [taken.id, bound.id, ada.account_id],
  );
  await teams.world.query(
    `UPDATE access_review_entry SET reach = jsonb_set(reach, '{prompts}', '9')
     WHERE review_id = $1 AND subject_id = $2`,
    [taken.id, acme.key.id],
  );

  const entries = await entriesOf(owner, base, taken.id);

  expect(await differences(owner, base, entries, PERMISSIONS)).toEqual([
    `key ${acme.key.id} reach`,
    ...['permissions', 'team_permissions', 'capabilities'].map(
      (field) => `key ${bound.id} ${field}`,
    ),
    ...['can_view_organization_roles', 'can_view_organization_audit', 'can_create_team_tools'],
  ]);
});

test('items of a member’s own space are counted in a review, and neither stored nor named', async () => {
  const before = await entriesOf(owner, base, (await review(owner, base)).id);
  const made = await create(mia, `${base}/me`, 'prompts', { name: 'secretplan' });
  expect(made.status).toBe(201);

  const taken = await review(owner, base);
  const entries = await entriesOf(ada, base, taken.id);
  const stored = await teams.world.query<{ text: string }>(
    `SELECT (p.*)::text AS text FROM access_review_part p WHERE review_id = $1
     UNION ALL SELECT (e.*)::text FROM access_review_entry e WHERE review_id = $1`,
    [taken.id],
  );

  const gained = entries.map(({ subject, reach }, index) => [
    subject.id,
    reach.prompts - before[index]!.reach.prompts,
  ]);
  expect(gained.filter(([, prompts]) => prompts !== 0)).toEqual([
    [mia.account_id, 1],
    [acme.key.id, 1],
    [bound.id, 1],
  ]);
  expect(JSON.stringify([entries, stored])).not.toMatch(/secretplan/);
  expect(JSON.stringify(stored)).not.toContain(made.body.id);
});

test('flags say why to look at an entry first', async () => {
  await teams.world.query(
    `UPDATE api_key SET created_at = now() - interval '91 days', last_used_at = CASE id
       WHEN $1 THEN now() - interval '89 days' ELSE now() - interval '91 days' END
     WHERE id = ANY ($2)`,
    [bound.id, [bound.id, elsewhere.id]],
  );
  const readFlags = async () =>
    Object.fromEntries(
      (await entriesOf(owner, base, (await review(owner, base)).id)).map((entry) => [
        entry.subject.id,
        entry.flags,
      ]),
    );
  const flagsOf = await readFlags();

  expect(flagsOf[owner.account_id]).toEqual(['broad', 'writes']);
  expect(flagsOf[ada.account_id]).toEqual([]);
  expect(flagsOf[mia.account_id]).toEqual(['writes']);
  expect(flagsOf[acme.key.id]).toEqual(['follows_all_teams']);
  expect(flagsOf[acme.shared.id]).toEqual(['no_owner']);
  expect(flagsOf[bound.id]).toEqual(['writes', 'unrestricted']);
  expect(flagsOf[elsewhere.id]).toContain('unused_90_days');
  await teams.world.query("UPDATE api_key SET allowed_addresses = '{192.0.2.0/24}' WHERE id = $1", [
    bound.id,
  ]);
  expect((await readFlags())[bound.id]).toEqual(['writes']);
});

test('a member without the permission to read the audit log gets 403, another organization 404', async () => {
  const { id: review_id } = await review(owner, base);
  const [entry] = await entriesOf(owner, base, review_id);
  const other = await createAcme(teams);
  const sent = [
    { path: '/access/reviews' },
    { path: '/access/reviews', body: {} },
    { path: `/access/reviews/${review_id}` },
    { path: `/access/reviews/${review_id}`, method: 'PATCH', body: { status: 'closed' } },
    { path: `/access/reviews/${review_id}/entries` },
    {
      path: `/access/reviews/${review_id}/entries/${entry!.id}`,
      ...{ method: 'PATCH', body: { decision: 'keep' } },
    },
    { path: '/access/review-settings' },
    { path: '/access/review-settings', method: 'PUT', body: { nightly: true, keep: 1 } },
  ];

  for (const { path, ...request } of sent) {
    const denied = await askAs(mia, { ...request, path: base + path });
    expect([path, ...outcomeOf(denied)]).toEqual([path, 403, 'permission_denied']);
    if (!path.includes(review_id)) continue;
    const foreign = await askAs(other.owner, { ...request, path: other.base + path });
    expect([path, ...outcomeOf(foreign)]).toEqual([path, 404, 'not_found']);
  }
  const { body } = await askAs<{ data: object[] }>(other.owner, {
    path: `${other.base}/access/reviews`,
  });
  expect(body.data).toEqual([]);
});

test('the keys of a person who left are flagged and can do nothing', async () => {
  const { base: home, id: organization_id, owner: boss, mia: leaver } = await createAcme(teams);
  await askAs(boss, { method: 'DELETE', path: `${home}/members/${leaver.account_id}` });
  // As if the key had not been revoked with the membership.
  await teams.world.query('UPDATE api_key SET revoked_at = NULL WHERE org_scope = $1', [
    organization_id,
  ]);

  const entries = await entriesOf(boss, home, (await review(boss, home)).id);

  const key = entries.find(({ subject }) => subject.kind === 'key');
  expect(key).toMatchObject({ permissions: [], capabilities: [], reach: { tools: 0 } });
  expect(key?.flags).toContain('owner_left');
  expect(JSON.stringify(key)).not.toContain(leaver.email);
});
