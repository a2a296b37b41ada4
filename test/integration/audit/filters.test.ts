import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AuditRecord } from '../../../src/audit/schema.ts';
import type { EventFilter, History } from '../../../src/audit/selection.ts';
import { countEvents, listEvents } from '../../../src/audit/store.ts';
import { askAs, createOrganization } from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import { createExplainingQueryable } from '../../support/worlds/explaining-queryable.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const EVENTS = 10_000;

/** Logs whose oldest entry alone is refused, and done. */
const quiet = { id: randomUUID(), rare: 'refused', frequent: 'done' };
const attacked = { id: randomUUID(), rare: 'done', frequent: 'refused' };
const frequent = { target: randomUUID(), actor: randomUUID() };
const rare = { target: randomUUID(), actor: randomUUID() };

/** Inserts one event per minute; the oldest has a target and an actor of its own. */
const addEvents = (kind: string, owner: string) =>
  world.query(
    `INSERT INTO audit_event (id, at, actor_kind, actor_id, action, outcome, scope_kind, scope_id,
       organization_id, units)
     SELECT gen_random_uuid(), '2026-01-15T00:00:00Z'::timestamptz - make_interval(mins => n),
       'api_key', CASE WHEN n = $3 THEN $7 ELSE $6 END::uuid,
       CASE WHEN n = $3 - 1 THEN 'role.delete' ELSE 'key.update' END,
       CASE WHEN n % 2 = 0 THEN 'done' ELSE 'refused' END, $1, $2::uuid,
       CASE WHEN $1 = 'organization' THEN $2::uuid END,
       jsonb_build_array(
         jsonb_build_object('type', 'team', 'id', gen_random_uuid()),
         jsonb_build_object('type', 'api_key', 'id', CASE WHEN n = $3 THEN $5 ELSE $4 END::text))
     FROM generate_series(1, $3::int) AS n`,
    [kind, owner, EVENTS, frequent.target, rare.target, frequent.actor, rare.actor],
  );

const addOutcomes = ({ id, rare: oldest, frequent: others }: typeof quiet) =>
  world.query(
    `INSERT INTO audit_event (id, at, actor_kind, action, outcome, scope_kind, scope_id,
       organization_id)
     SELECT gen_random_uuid(), '2026-01-15T00:00:00Z'::timestamptz - make_interval(mins => n),
       'system', 'key.update', CASE WHEN n = $2 THEN $3 ELSE $4 END, kind, $1::uuid,
       CASE WHEN kind = 'organization' THEN $1::uuid END
     FROM generate_series(1, $2::int) AS n, (VALUES ('account'), ('organization')) AS kinds (kind)`,
    [id, EVENTS, oldest, others],
  );

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway, 'ada');
const acme = (await createOrganization(ada)).id;
for (const [kind, owner] of [
  ['account', ada.account_id],
  ['organization', acme],
  ['organization', randomUUID()],
] as const)
  await addEvents(kind, owner);
for (const one of [quiet, attacked]) await addOutcomes(one);
await world.query('ANALYZE audit_event');
await world.query('ANALYZE audit_target');

interface AuditLogPage {
  data: AuditRecord[];
  next_cursor: string | null;
}
const logs = ['/api/me/audit', () => `/api/organizations/${acme}/audit`] as const;
const pathOf = (log: (typeof logs)[number]) => (typeof log === 'string' ? log : log());
async function read(log: (typeof logs)[number], query: string) {
  const { status, body } = await askAs<AuditLogPage>(ada, { path: `${pathOf(log)}?${query}` });
  expect(status).toBe(200);
  return body;
}

test.each(logs.map((log, index) => [['an account', 'an organization'][index], log] as const))(
  'the audit log of %s lists the entries of a target or an actor, with other filters and a cursor',
  async (_of, log) => {
    for (const one of [`target=${rare.target}`, `actor=${rare.actor}`]) {
      const found = await read(log, one);
      expect(found.data.map(({ target }) => target[1]!.id)).toEqual([rare.target]);
      expect(found.data[0]!.actor.id).toBe(rare.actor);
      expect(found.next_cursor).toBeNull();
      expect((await read(log, `${one}&outcome=refused`)).data).toEqual([]);
      expect((await read(log, `${one}&action=team.`)).data).toEqual([]);
    }
    expect((await read(log, `target=${rare.target}&actor=${frequent.actor}`)).data).toEqual([]);
    expect((await read(log, `target=${rare.target.toUpperCase()}`)).data).toHaveLength(1);
    expect((await read(log, `target=${randomUUID()}`)).data).toEqual([]);

    const filter = `target=${frequent.target}&actor=${frequent.actor}&outcome=done`;
    const first = await read(log, `${filter}&limit=3`);
    const second = await read(log, `${filter}&limit=3&cursor=${first.next_cursor}`);
    const both = await read(log, `${filter}&limit=6`);
    expect(both.data).toHaveLength(6);
    expect([...first.data, ...second.data]).toEqual(both.data);
  },
);

test.each(['target=x', 'actor=', 'target=*'])('%s is refused with 400', async (query) => {
  const { status, body } = await askAs(ada, { path: `/api/me/audit?${query}` });

  expect([status, body.errors?.[0]?.code]).toEqual([400, 'invalid_query']);
});

test('another account’s log does not list the entries of the same target', async () => {
  const eve = await signUp(world, { url: ada.person.url }, 'eve');

  const { body } = await askAs<AuditLogPage>(eve, {
    path: `/api/me/audit?target=${frequent.target}`,
  });
  expect(body.data).toEqual([]);
});

const ofAda = (): History[] => [{ account_id: ada.account_id }, { organization_id: acme }];
const of =
  ({ id }: { id: string }) =>
  (): History[] => [{ account_id: id }, { organization_id: id }];
const filters: [what: string, filter: EventFilter, histories: () => History[], count: number][] = [
  ['a rare target', { target: rare.target }, ofAda, 1],
  ['a frequent target', { target: frequent.target }, ofAda, EVENTS - 1],
  ['an absent target', { target: randomUUID() }, ofAda, 0],
  ['a rare actor', { actor: rare.actor }, ofAda, 1],
  ['a frequent actor', { actor: frequent.actor }, ofAda, EVENTS - 1],
  ['an absent actor', { actor: randomUUID() }, ofAda, 0],
  ['a rare target and a frequent actor', { target: rare.target, actor: frequent.actor }, ofAda, 0],
  [
    'a frequent target in a period',
    { target: frequent.target, to: '2026-01-08T01:22:00Z' },
    ofAda,
    1,
  ],
  ['a rare action', { action: 'role.delete' }, ofAda, 1],
  ['a frequent action', { action: 'key.update' }, ofAda, EVENTS - 1],
  ['an absent action', { action: 'team.delete' }, ofAda, 0],
  ['actions with a rare prefix', { action: 'role.' }, ofAda, 1],
  ['actions with a frequent prefix', { action: 'k' }, ofAda, EVENTS - 1],
  ['an action that nobody knows', { action: 'nobody.knows' }, ofAda, 0],
  ['a rare refusal', { outcome: 'refused' }, of(quiet), 1],
  ['a frequent success', { outcome: 'done' }, of(quiet), EVENTS - 1],
  ['a rare success', { outcome: 'done' }, of(attacked), 1],
  ['a frequent refusal', { outcome: 'refused' }, of(attacked), EVENTS - 1],
  ['refusals of a frequent action', { action: 'key.', outcome: 'refused' }, of(quiet), 1],
];

test.each(filters)(
  'of 10 000 entries, those of %s are found by an index that reads little more than the page',
  async (_of, filter, histories, count) => {
    for (const history of histories())
      for (const after of [null, { at: '2026-01-15T00:00:00Z', id: randomUUID() }]) {
        const { scans, db } = createExplainingQueryable(world);
        const page = { after, limit: 51, max_bytes: 1_000 };
        const found = await listEvents(db, history, { ...filter, ...page });

        expect(found).toHaveLength(Math.min(count, 51));
        expect(scans.filter(({ type, rows }) => type.includes('Seq') && rows > 0)).toEqual([]);
        expect(Math.max(...scans.map(({ rows }) => rows))).toBeLessThanOrEqual(102);
      }
  },
);

test.each(filters)(
  'those of %s are counted without reading other entries',
  async (_of, filter, histories, count) => {
    for (const history of histories()) {
      const { scans, db } = createExplainingQueryable(world);

      expect(await countEvents(db, history, filter, EVENTS)).toBe(count);
      const events = scans.filter(({ table }) => table === 'audit_event');
      expect(Math.max(...events.map(({ rows }) => rows))).toBeLessThanOrEqual(count + 1);
    }
  },
);

test('a page ends once its details reach 4 MB, and the next page continues', async () => {
  const bob = await signUp(world, { url: ada.person.url }, 'bob');
  const detail = JSON.stringify({ after: 'x'.repeat(1_000_000) });
  await world.query(
    `INSERT INTO audit_event (id, at, actor_kind, action, scope_kind, scope_id, detail, detail_bytes)
     SELECT gen_random_uuid(), now() + make_interval(secs => n), 'system', 'team.policy', 'account',
       $1, $2, $3 FROM generate_series(1, 9) n`,
    [bob.account_id, detail, detail.length],
  );

  const pages: AuditLogPage[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)!.next_cursor) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`;
    const path = `/api/me/audit?action=team.policy&limit=200${query}`;
    pages.push((await askAs<AuditLogPage>(bob, { path })).body);
  }

  expect(pages.map(({ data }) => data.length)).toEqual([4, 4, 1]);
  expect(new Set(pages.flatMap(({ data }) => data.map(({ id }) => id))).size).toBe(9);
});

test('the database refuses to edit or delete what finds an entry by its target', async () => {
  const where = `WHERE target_id = '${rare.target}'`;
  for (const statement of [
    `UPDATE audit_target SET of_account = NULL ${where}`,
    `DELETE FROM audit_target ${where}`,
    'TRUNCATE audit_target',
  ])
    await expect(world.query(statement)).rejects.toThrow(/append-only/);
});

test('an old refused attempt is deleted with what finds it by its target', async () => {
  const target = randomUUID();
  await world.query(
    `INSERT INTO audit_event (id, at, actor_kind, action, outcome, scope_kind, scope_id, units)
     VALUES (gen_random_uuid(), now() - interval '91 days', 'system', 'presence.refuse', 'refused',
       'account', $1, jsonb_build_array(jsonb_build_object('type', 'account', 'id', $2::text)))`,
    [ada.account_id, target],
  );
  const count = () =>
    world
      .query(`SELECT FROM audit_target WHERE target_id = '${target}'`)
      .then((rows) => rows.length);
  expect(await count()).toBe(1);

  await world.query(
    `DELETE FROM audit_event WHERE outcome = 'refused' AND at < now() - interval '90 days'
       AND units->0->>'id' = $1`,
    [target],
  );

  expect(await count()).toBe(0);
});
