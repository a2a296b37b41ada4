import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { DecisionRecord } from '../../../src/decision-log/schema.ts';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { askAs, createRole, outcomeOf } from '../../support/people/organizations.ts';
import { createKey } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { decisionsPath, readDecisions } from './reading.ts';

const teams = await useTeams();
const oauth = await closeAfterTests(createConnectionsSupport(teams.world, teams.gateway));
const AUDIT = 'can_view_organization_audit';

interface Fields {
  /** Seconds ago. */
  age?: number;
  subject?: string;
  family?: string | null;
  action?: string | null;
  reason?: string | null;
}

/** Adds decisions to an organization's log, the newest first. */
async function add(organization_id: string, ...decisions: Fields[]) {
  for (const [index, { age = index, ...fields }] of decisions.entries())
    await teams.world.query(
      `INSERT INTO access_decision (id, month, at, organization_id, request_id, subject_kind,
         subject_id, family, action, outcome, layer, reason, model_id, sampled)
       SELECT $1, date_trunc('month', at AT TIME ZONE 'UTC')::date, at, $2, $1, 'key', $3, $4, $5,
         CASE WHEN $6::text IS NULL THEN 'allowed' ELSE 'denied' END,
         CASE WHEN $6::text IS NULL THEN NULL ELSE 'policy' END, $6, 'model', 1
       FROM (SELECT now() - make_interval(secs => $7) AS at) AS time`,
      [
        ...[randomUUID(), organization_id, fields.subject ?? randomUUID(), fields.family ?? null],
        ...[fields.action ?? 'can_see', fields.reason ?? null, 100 + age],
      ],
    );
}
/** Sends a request for a file, and returns its text. */
async function fileOf(headers: Record<string, string>, id: string, query = '') {
  const response = await fetch(`${teams.gateway.url}${decisionsPath(id)}${query}`, { headers });
  return {
    ...{ status: response.status, type: response.headers.get('content-type') },
    text: await response.text(),
  };
}
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as DecisionRecord);

test('decisions are filtered by subject, action, outcome, reason and time', async () => {
  const { id, owner } = await teams.organization();
  const subject = randomUUID();
  await add(
    id,
    { subject, action: 'can_update_organization', reason: 'permission_missing' },
    { subject },
    { family: 'tool', action: 'calculator', reason: 'not_selected' },
    { family: 'tool', action: 'calculator', age: 7_200 },
  );
  const count = async (query: string) =>
    (await readDecisions(owner, id, `${query}&until=2999-01-01T00:00:00Z`)).data.filter(
      ({ model_id }) => model_id === 'model',
    ).length;
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();

  expect(await count('?')).toBe(4);
  expect(await count(`?subject=${subject}`)).toBe(2);
  expect(await count(`?subject=${subject}&outcome=denied`)).toBe(1);
  expect(await count('?action=calculator')).toBe(2);
  expect(await count('?action=can_update_organization')).toBe(1);
  expect(await count('?outcome=allowed')).toBe(2);
  expect(await count('?reason=not_selected')).toBe(1);
  expect(await count(`?since=${hourAgo}`)).toBe(3);
  expect((await readDecisions(owner, id, `?until=${hourAgo}`)).data).toHaveLength(1);
});

test.each([
  '?reason=because',
  '?outcome=maybe',
  '?subject=bob',
  '?since=yesterday',
  '?action=%00',
  '?who=me',
])('the query %s is refused', async (query) => {
  const { id, owner } = await teams.organization();

  expect(outcomeOf(await askAs(owner, { path: `${decisionsPath(id)}${query}` }))[0]).toBe(400);
});

test('pages go on where the one before ended, newest first', async () => {
  const { id, owner } = await teams.organization();
  await add(id, ...Array.from({ length: 7 }, (_, age) => ({ action: `can_${age}`, age })));
  const seen: unknown[] = [];

  for (let cursor: string | null = ''; cursor !== null;) {
    const page = cursor === '' ? '' : `&cursor=${cursor}`;
    const query = `?limit=3&until=${new Date(Date.now() - 60_000).toISOString()}${page}`;
    const { data, next_cursor } = await readDecisions(owner, id, query);
    seen.push(...data.map(({ action }) => action));
    cursor = next_cursor;
  }

  expect(seen).toEqual(Array.from({ length: 7 }, (_, index) => `can_${index}`));
});

test('a key with the audit permission alone reads the decisions as JSON lines, from a point in time', async () => {
  const { id, owner } = await teams.organization();
  await add(id, { action: 'can_new' }, { action: 'can_old', age: 7_200 });
  const grants = [{ scope: { type: 'org', org_id: id }, permissions: [AUDIT] }];
  const { secret } = await createKey(owner, { grants, mcp_capabilities: [] });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const headers = { 'x-api-key': secret, accept: 'application/x-ndjson' };

  const { status, type, text } = await fileOf(headers, id, `?since=${since}`);

  expect([status, type]).toEqual([200, 'application/x-ndjson']);
  const lines = linesOf(text).filter(({ model_id }) => model_id === 'model');
  expect(lines.map(({ action }) => action)).toEqual(['can_new']);
});

test('in CSV, a cell that begins like a formula is not one', async () => {
  const { id, owner } = await teams.organization();
  const name = '=HYPERLINK("https://evil.example")';
  const created = await askAs<{ id: string }>(owner, {
    path: `/api/organizations/${id}/keys`,
    body: { name, mcp_capabilities: [] },
  });
  await add(id, { subject: created.body.id, family: 'tool', action: 'calculator' });

  const { type, text } = await fileOf({ ...owner.bearer }, id, '?format=csv');

  expect(type).toBe('text/csv; charset=utf-8');
  const [header, row] = text.split('\r\n');
  expect(header).toBe(
    'id,at,request_id,subject.kind,subject.id,subject.name,action,team,outcome,layer,reason,model_id,cached,sampled',
  );
  expect(row).toContain(`,"'=HYPERLINK(""https://evil.example"")",`);
  expect(row).toContain(`,"{""family"":""tool"",""name"":""calculator""}",`);
});

test('the decisions of an organization are in the log of no other one', async () => {
  const [one, other] = [await teams.organization(), await teams.organization()];
  await add(one.id, { action: 'can_be_secret' });

  const { data } = await readDecisions(other.owner, other.id, '?action=can_be_secret');
  expect(data).toEqual([]);
  const foreign = await askAs(other.owner, { path: decisionsPath(one.id) });
  expect(outcomeOf(foreign)).toEqual([404, 'not_found']);
});

test('a role with the audit permission alone reads the decisions; a member without it and a token with every scope do not', async () => {
  const { id, owner } = await teams.organization();
  const role = await createRole(owner, id, { name: 'Auditor', permissions: [AUDIT] });
  const auditor = await teams.join(id, 'auditor', [role.id]);
  const bob = await teams.join(id, 'bob');
  const client = await oauth.client({
    ...{ owner: { organization_id: id }, scopes: ['update:organization_profile'] },
  });
  const connection = await oauth.authorize(client, owner);
  const token: SignedUp = {
    ...owner,
    bearer: { authorization: `Bearer ${await oauth.token(connection)}` },
  };
  const read = async (who: SignedUp) => outcomeOf(await askAs(who, { path: decisionsPath(id) }));

  expect(await read(auditor)).toEqual([200]);
  expect(await read(bob)).toEqual([403, 'permission_denied']);
  expect(await read(token)).toEqual([403, 'permission_denied']);
});

test('a file of too many decisions is refused before its first byte', async () => {
  const { id, owner } = await teams.organization();
  await teams.world.query(
    `INSERT INTO access_decision (id, month, at, organization_id, request_id, subject_kind,
       subject_id, action, outcome, model_id, sampled)
     SELECT gen_random_uuid(), date_trunc('month', now() AT TIME ZONE 'UTC')::date, now(), $1,
       gen_random_uuid(), 'key', gen_random_uuid(), 'can_see', 'allowed', 'model', 1
     FROM generate_series(1, 50001)`,
    [id],
  );

  const { status, text } = await fileOf({ ...owner.bearer }, id, '?format=jsonl');

  expect(status).toBe(422);
  expect(text).toContain('too_large');
});
