import { expect, test } from 'vitest';
import type { AccessDiff } from '../../../src/explorer/schema.ts';
import type { Review, ReviewEntry } from '../../../src/explorer/reviews/schema.ts';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createAcme, createKey, read } from './acme.ts';
import { entriesOf, review } from './review-client.ts';

const teams = await useTeams();
const { base, owner, ada, mia, role, key } = await createAcme(teams);
const formula = await createKey(owner, `${base}/keys`, { name: '=1+1', team_ids: [] });

const decide = (review_id: string, { id }: Pick<ReviewEntry, 'id'>, body: object) =>
  askAs<ReviewEntry>(ada, {
    ...{ method: 'PATCH', body, path: `${base}/access/reviews/${review_id}/entries/${id}` },
  });
/** Returns a file as text. */
async function textAt(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(teams.gateway.url + path, {
    headers: { ...ada.bearer, ...headers },
  });
  expect(response.status).toBe(200);
  return response.text();
}
const close = (review_id: string) =>
  askAs<Review>(ada, {
    ...{ method: 'PATCH', body: { status: 'closed' } },
    path: `${base}/access/reviews/${review_id}`,
  });

test('decisions with comments are recorded, filtered and audited, and a closed review refuses more', async () => {
  const { id } = await review(owner, base);
  const [first, second] = await entriesOf(ada, base, id);

  const kept = await decide(id, first!, { decision: 'keep', comment: 'Needed.' });
  await decide(id, second!, { decision: 'revoke' });
  const changed = await decide(id, first!, { decision: 'reduce' });

  const decided_by = { kind: 'user', id: ada.account_id, email: ada.email };
  expect(kept.body).toEqual({ ...first, decision: 'keep', comment: 'Needed.', decided_by });
  expect(changed.body).toMatchObject({ decision: 'reduce', comment: 'Needed.' });
  const entries = `${base}/access/reviews/${id}/entries`;
  const filtered = async (query: string) =>
    (await read<{ data: ReviewEntry[] }>(ada, `${entries}?${query}`)).data.map((one) => one.id);
  expect(await filtered('decision=revoke')).toEqual([second!.id]);
  expect(await filtered('decision=none')).not.toContain(first!.id);
  expect(await filtered('flag=no_owner')).toHaveLength(2);
  expect((await close(id)).body).toMatchObject({
    status: 'closed',
    counts: { keep: 0, reduce: 1, revoke: 1 },
  });
  expect(outcomeOf(await decide(id, first!, { decision: null }))).toEqual([409, 'review_closed']);
  expect((await entriesOf(ada, base, id))[0]).toMatchObject({ decision: 'reduce' });
  const audit = await read<{ data: { action: string; detail: object }[] }>(
    owner,
    `${base}/audit?action=access_review`,
  );
  expect(audit.data.map(({ action }) => action)).toEqual([
    'access_review.update',
    ...['access_review.decide', 'access_review.decide', 'access_review.decide'],
    'access_review.create',
  ]);
  expect(JSON.stringify(audit.data)).not.toContain('Needed.');
});

test('the entries are a CSV file whose cells are not formulas, and JSON lines', async () => {
  const { id } = await review(owner, base);
  const entry = (await entriesOf(ada, base, id)).find(({ subject }) => subject.id === formula.id)!;
  await decide(id, entry, { decision: 'keep', comment: '=SUM(A1)' });
  const path = `${base}/access/reviews/${id}/entries`;

  const csv = await textAt(path, { accept: 'text/csv' });
  const lines = await textAt(`${path}?format=jsonl`);

  const row = csv.split('\r\n').find((line) => line.includes(formula.id));
  expect(row).toContain(",'=1+1,");
  expect(row).toContain(",'=SUM(A1),");
  const all = lines.trimEnd().split('\n');
  expect(all.map((line) => (JSON.parse(line) as ReviewEntry).id)).toEqual(
    (await entriesOf(ada, base, id)).map((one) => one.id),
  );
});

test('the difference of two reviews is what a change of a role gave and took', async () => {
  const left = await review(owner, base);
  await askAs(owner, {
    ...{ method: 'PATCH', path: `${base}/roles/${role.id}` },
    body: { permissions: ['can_view_organization_teams'], capabilities: ['tools', 'prompts'] },
  });
  const right = await review(owner, base);

  const sides = { left: { review_id: left.id }, right: { review_id: right.id } };
  const answer = await askAs<AccessDiff>(ada, { path: `${base}/access/diff`, body: sides });
  const said = (list: AccessDiff['only_left']) =>
    list.map(({ subject, permission, capability }) => [subject?.id, permission ?? capability]);

  expect(answer.status).toBe(200);
  expect(said(answer.body.only_right)).toEqual([[mia.account_id, 'can_view_organization_teams']]);
  expect(new Set(said(answer.body.only_left))).toEqual(
    new Set([
      [mia.account_id, 'can_view_organization_roles'],
      [mia.account_id, 'resources'],
      [mia.account_id, 'agents'],
      [key.id, 'resources'],
      [key.id, 'agents'],
    ]),
  );
  expect(answer.body.both).toBeGreaterThan(50);
  const missing = { ...sides, right: { review_id: mia.account_id } };
  const absent = await askAs(ada, { path: `${base}/access/diff`, body: missing });
  expect(outcomeOf(absent)).toEqual([404, 'not_found']);
});
