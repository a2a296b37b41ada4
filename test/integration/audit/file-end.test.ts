import { expect, test } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import type { AuditRecord } from '../../../src/audit/schema.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import type { Queryable, Database } from '../../../src/platform/postgres/database.ts';
import { askAs } from '../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const ROWS_OF_PAGE = 100;
const MAX_ENTRIES = 50_000;

const world = await closeAfterTests(createWorld(ownAddresses));
const url = world.env['DATABASE_URL']!;
const database = await closeAfterTests(createDatabase({ url, poolSize: 2, onIdleError: () => {} }));

/** Adds entries, the newest first; that of number `refused` is a refused one, which is swept. */
const addEntries = ({ account_id }: SignedUp, entries: number, refused = 0) =>
  world.query(
    `INSERT INTO audit_event (id, at, actor_kind, action, outcome, scope_kind, scope_id)
     SELECT gen_random_uuid(), now() - interval '100 days' - make_interval(secs => n), 'system',
       'team.policy', CASE WHEN n = $3 THEN 'refused' ELSE 'done' END, 'account', $1
     FROM generate_series(1, $2::int) AS n`,
    [account_id, entries, refused],
  );

const FILTER = { action: 'team.policy' };

test('a file continues after an old refused attempt, the last entry of a page, was deleted meanwhile', async () => {
  const ada = await signUp(world, await world.gateway(), 'ada');
  await addEntries(ada, 3 * ROWS_OF_PAGE, ROWS_OF_PAGE);
  const audit = createAudit(database);
  const read: AuditRecord[] = [];

  for await (const page of audit.entries(ada.account_id, FILTER)) {
    read.push(...page);
    if (read.length === ROWS_OF_PAGE) {
      expect(page.at(-1)!.outcome).toBe('refused');
      await audit.sweep(database.pool);
    }
  }

  expect(new Set(read.map(({ id }) => id)).size).toBe(3 * ROWS_OF_PAGE);
});

test('a page continues after an old refused attempt, the last entry of the page before, was deleted', async () => {
  const ada = await signUp(world, await world.gateway(), 'ada');
  await addEntries(ada, 20, 10);
  interface Page {
    data: AuditRecord[];
    next_cursor: string;
  }
  const path = '/api/me/audit?action=team.policy&limit=10';
  const { body: first } = await askAs<Page>(ada, { path });
  expect(first.data.at(-1)!.outcome).toBe('refused');
  await createAudit(database).sweep(database.pool);

  const { status, body } = await askAs<Page>(ada, { path: `${path}&cursor=${first.next_cursor}` });

  expect(status).toBe(200);
  expect(body.data).toHaveLength(10);
});

test('a cursor of the release before, the id of an entry, continues the log that the entry is in, and no other', async () => {
  const ada = await signUp(world, await world.gateway(), 'ada');
  const eve = await signUp(world, await world.gateway(), 'eve');
  await addEntries(ada, 3);
  const audit = createAudit(database);
  const { data } = await audit.list(ada.account_id, { ...FILTER, limit: 3 });
  const after = { ...FILTER, limit: 3, cursor: data[0]!.id };

  expect((await audit.list(ada.account_id, after)).data).toEqual(data.slice(1));
  for (const cursor of [after.cursor, 'x', '["2026", "x"]'])
    await expect(audit.list(eve.account_id, { ...after, cursor })).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
});

test('a file whose entries have become too many since they were counted fails instead of ending early', async () => {
  const ada = await signUp(world, await world.gateway(), 'ada');
  await addEntries(ada, MAX_ENTRIES);
  /** A pool where an entry is added as soon as the entries are counted. */
  const pool = {
    ...database.pool,
    async oneFirst(...query: Parameters<Queryable['oneFirst']>) {
      const count = await database.pool.oneFirst(...query);
      await addEntries(ada, 1);
      return count;
    },
  } as Database['pool'];
  const read = async () => {
    let rows = 0;
    for await (const page of createAudit({ pool }).entries(ada.account_id, FILTER))
      rows += page.length;
    return rows;
  };

  await expect(read()).rejects.toMatchObject({ code: 'too_large' });
  const { status } = await askAs(ada, { path: '/api/me/audit?format=csv&action=team.policy' });
  expect(status).toBe(422);
}, 60_000);
