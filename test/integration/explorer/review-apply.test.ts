import { expect, test } from 'vitest';
import type {
  AppliedDecision,
  ReviewApplication,
} from '../../../src/explorer/reviews/applying/schema.ts';
import type { ReviewDecision, ReviewEntry } from '../../../src/explorer/reviews/schema.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createAcme, createKey, read } from './acme.ts';
import { entriesOf, review } from './review-client.ts';

const teams = await useTeams();

type Decided = Readonly<Record<string, ReviewDecision>>;

/** Takes a review, and decides about subjects by their ids. */
async function decided(who: SignedUp, base: string, decisions: Decided) {
  const { id } = await review(who, base);
  const entries = await entriesOf(who, base, id);
  for (const [subject_id, decision] of Object.entries(decisions)) {
    const entry = entries.find(({ subject }) => subject.id === subject_id)!;
    const path = `${base}/access/reviews/${id}/entries/${entry.id}`;
    const { status } = await askAs<ReviewEntry>(who, { method: 'PATCH', path, body: { decision } });
    expect(status).toBe(200);
  }
  return `${base}/access/reviews/${id}/apply`;
}

async function apply(who: SignedUp, path: string): Promise<ReviewApplication> {
  const { status, body } = await askAs<ReviewApplication>(who, { path, body: { unused_days: 0 } });
  expect([path, status, body]).toEqual([path, 200, expect.anything()]);
  return body;
}

/** Returns outcomes with why, by the id of the subject. */
const outcomes = ({ changes }: ReviewApplication) =>
  Object.fromEntries(
    changes.map(({ subject, outcome, reason, error }: AppliedDecision) => [
      subject.id,
      [outcome, reason ?? error?.code].filter(Boolean).join(' '),
    ]),
  );

const statusOf = async (who: SignedUp, path: string) => (await askAs(who, { path })).status;

test('applying revokes keys, removes members and takes from keys what they did not use, in the order that was previewed', async () => {
  const { id, base, owner, mia, key, shared } = await createAcme(teams);
  const grant = (permissions: string[]) => [{ scope: { type: 'org', org_id: id }, permissions }];
  const broad = await createKey(owner, `${base}/keys`, {
    ...{ team_ids: [], mcp_capabilities: ['tools', 'prompts'] },
    grants: grant(['can_view_organization_roles', 'can_view_organization_members']),
  });
  const used = await fetch(`${teams.gateway.url}${base}/roles`, {
    headers: { 'x-api-key': broad.secret },
  });
  expect(used.status).toBe(200);
  const path = await decided(owner, base, {
    ...{ [mia.account_id]: 'revoke', [key.id]: 'revoke', [shared.id]: 'revoke' },
    [broad.id]: 'reduce',
  });

  const preview = await apply(owner, `${path}/preview`);
  expect(outcomes(preview)).toEqual({
    ...{ [mia.account_id]: 'planned', [key.id]: 'planned', [shared.id]: 'planned' },
    [broad.id]: 'planned',
  });
  expect(await statusOf(owner, `${base}/keys/${shared.id}`)).toBe(200);
  const reducing = preview.changes.find(({ subject }) => subject.id === broad.id);
  expect(reducing).toMatchObject({
    operation_id: 'updateOrganizationKey',
    removed: {
      permissions: ['can_view_organization_members'],
      capabilities: ['tools', 'prompts'],
    },
  });

  const applied = await apply(owner, path);
  expect(applied.counts).toEqual({ planned: 0, applied: 4, unchanged: 0, refused: 0, by_hand: 0 });
  expect(applied.changes.map(({ subject }) => subject.id)).toEqual(
    preview.changes.map(({ subject }) => subject.id),
  );
  expect(await statusOf(owner, `${base}/keys/${shared.id}`)).toBe(404);
  expect(await statusOf(owner, `${base}/members/${mia.account_id}`)).toBe(404);
  expect(await statusOf(mia, `/api/keys/${key.id}`)).toBe(404);
  expect(await read(owner, `${base}/keys/${broad.id}`)).toMatchObject({
    grants: grant(['can_view_organization_roles']),
    mcp_capabilities: [],
  });
  const { data } = await read<{ data: { action: string; request_id: string }[] }>(
    owner,
    `${base}/audit?limit=5`,
  );
  expect(data.map(({ action }) => action).toSorted()).toEqual(
    ['access_review.apply', 'key.revoke', 'key.revoke', 'key.update', 'member.remove'].toSorted(),
  );
  expect(new Set(data.map(({ request_id }) => request_id)).size).toBe(1);

  const again = await apply(owner, path);
  expect(outcomes(again)).toEqual({
    ...{ [mia.account_id]: 'unchanged', [key.id]: 'unchanged', [shared.id]: 'unchanged' },
    [broad.id]: 'by_hand nothing_unused',
  });
});

test('each change needs its own permission: those that are refused are reported, and keep no other from being made', async () => {
  const { id, base, owner, ada, auditing, mia, key, shared } = await createAcme(teams);
  const keeper = await createRole(owner, id, {
    ...{ name: 'keeper', capabilities: [] },
    permissions: ['can_view_organization_audit', 'can_revoke_organization_api_keys'],
  });
  const path = await decided(owner, base, {
    ...{ [mia.account_id]: 'revoke', [key.id]: 'revoke', [shared.id]: 'revoke' },
    [owner.account_id]: 'revoke',
  });
  const denied = {
    ...{ [mia.account_id]: 'refused permission_denied' },
    [owner.account_id]: 'refused permission_denied',
  };

  const auditor = await apply(ada, `${path}/preview`);
  expect(outcomes(auditor)).toEqual({
    ...denied,
    ...{ [key.id]: 'refused permission_denied', [shared.id]: 'refused permission_denied' },
  });
  expect(outcomes(await apply(ada, path))).toEqual(outcomes(auditor));
  const kim = await teams.join(id, 'kim', [auditing.id, keeper.id]);
  expect(outcomes(await apply(kim, `${path}/preview`))).toEqual({
    ...{ ...denied, [key.id]: 'planned', [shared.id]: 'planned' },
  });
  expect(outcomes(await apply(kim, path))).toEqual({
    ...{ ...denied, [key.id]: 'applied', [shared.id]: 'applied' },
  });
  expect(await statusOf(owner, `${base}/members/${mia.account_id}`)).toBe(200);
  expect(await statusOf(owner, `${base}/keys/${shared.id}`)).toBe(404);
});

test('what needs more than the decision is left to a person, with the page where to do it', async () => {
  const { id, base, owner, mia, key, shared } = await createAcme(teams);
  const path = await decided(owner, base, {
    ...{ [mia.account_id]: 'reduce', [key.id]: 'reduce', [owner.account_id]: 'revoke' },
    [shared.id]: 'keep',
  });

  const applied = await apply(owner, path);

  expect(outcomes(applied)).toEqual({
    [mia.account_id]: 'by_hand member_roles',
    [key.id]: 'by_hand key_of_member',
    [owner.account_id]: 'by_hand own_membership',
  });
  const area = `${teams.gateway.config.DASHBOARD_URL}/app/org/${id}`;
  expect(applied.changes.map(({ page }) => String(page)).toSorted()).toEqual(
    [mia.account_id, mia.account_id, owner.account_id]
      .map((account_id) => `${area}/members/${account_id}`)
      .toSorted(),
  );
  const { data: audit } = await read<{ data: { action: string }[] }>(
    owner,
    `${base}/audit?limit=1`,
  );
  expect(audit[0]!.action).toBe('access_review.decide');
});

test('people reduce their own keys, and apply only reviews of organizations whose audit log they read', async () => {
  const { id, base, owner, mia } = await createAcme(teams);
  const own = await createKey(owner, '/api/keys', { org_scope: id });
  const path = await decided(owner, base, { [own.id]: 'reduce' });

  expect(outcomeOf(await askAs(mia, { path, body: {} }))).toEqual([403, 'permission_denied']);
  const other = await createAcme(teams);
  const foreign = path.replace(base, other.base);
  expect(outcomeOf(await askAs(other.owner, { path: foreign, body: {} }))).toEqual([
    404,
    'not_found',
  ]);
  expect(outcomes(await apply(owner, path))).toEqual({ [own.id]: 'applied' });
  expect(await read(owner, `/api/keys/${own.id}`)).toMatchObject({ mcp_capabilities: [] });
});

test('a review is applied as a job, whose result has every change', async () => {
  const { base, owner, shared } = await createAcme(teams);
  const path = await decided(owner, base, { [shared.id]: 'revoke' });

  const headers = { prefer: 'respond-async' };
  const begun = await askAs<{ id: string }>(owner, { path, body: {}, headers });
  expect(begun.status).toBe(202);

  await expect
    .poll(() => read(owner, `/api/jobs/${begun.body.id}`), { timeout: 20_000 })
    .toMatchObject({ state: 'succeeded', result: { counts: { applied: 1, refused: 0 } } });
  expect(await statusOf(owner, `${base}/keys/${shared.id}`)).toBe(404);
});
