import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createConnectionsSupport } from '../../support/people/connections.ts';
import { ADMIN, askAs } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';

const { world, gateway, organization } = await useOrganizations();
const support = await closeAfterTests(createConnectionsSupport(world, gateway));
const { queueDue } = support.keys.expiry;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Moves the expiry of a key, as if that much time had passed. */
const expireIn = (id: string, ms: number) =>
  world.query('UPDATE api_key SET expires_at = $2 WHERE id = $1', [id, inFuture(ms)]);

/** Queues what is due, on two gateways at once, and returns the recipients of all e-mails so far. */
async function toldAbout(id: string): Promise<string[]> {
  await Promise.all([queueDue(), queueDue()]);
  const rows = await world.query<{ address: string }>(
    'SELECT address FROM mail_job WHERE subject_id = $1 ORDER BY address',
    [id],
  );
  return rows.map(({ address }) => address);
}

const newKey = (who: SignedUp, ms: number) => createKey(who, { expires_at: inFuture(ms) });

test('the owner of a key gets an e-mail seven days and one day before it expires, each once', async () => {
  const ada = await signUp(world, gateway);
  await ada.person.ask({
    ...{ method: 'PATCH', path: '/api/user/profile', body: { locale: 'de' }, headers: ada.bearer },
  });
  const { id } = await newKey(ada, 30 * DAY);
  expect(await toldAbout(id)).toEqual([]);

  await expireIn(id, 7 * DAY + HOUR);
  expect(await toldAbout(id)).toEqual([]);
  await expireIn(id, 7 * DAY - HOUR);
  expect(await toldAbout(id)).toEqual([ada.email]);
  const email = await world.mailbox.next(ada.email);
  expect(email.subject).toBe('Ein API-Schlüssel läuft bald ab');
  expect(email.text).toContain(`${gateway.config.DASHBOARD_URL}/app/keys/${id}`);
  await expireIn(id, DAY + HOUR);
  expect(await toldAbout(id)).toEqual([ada.email]);
  await expireIn(id, DAY - HOUR);
  expect(await toldAbout(id)).toEqual([ada.email, ada.email]);
  await expireIn(id, HOUR);
  expect(await toldAbout(id)).toEqual([ada.email, ada.email]);
});

test('after an interruption only the last notice is sent, and none about a key that has expired', async () => {
  const ada = await signUp(world, gateway);
  const late = await newKey(ada, 30 * DAY);
  const gone = await newKey(ada, 30 * DAY);
  const revoked = await newKey(ada, 30 * DAY);
  await ada.person.ask({
    ...{ method: 'DELETE', path: `/api/keys/${revoked.id}`, headers: ada.bearer },
  });
  await expireIn(late.id, 2 * HOUR);
  await expireIn(gone.id, -HOUR);
  await expireIn(revoked.id, 2 * HOUR);

  expect(await toldAbout(late.id)).toEqual([ada.email]);
  expect(await toldAbout(gone.id)).toEqual([]);
  expect(await toldAbout(revoked.id)).toEqual([]);
});

test('a key that is created for less than seven days is only announced the day before', async () => {
  const ada = await signUp(world, gateway);
  const { id } = await newKey(ada, 3 * DAY);
  expect(await toldAbout(id)).toEqual([]);
  await expireIn(id, 2 * HOUR);
  expect(await toldAbout(id)).toEqual([ada.email]);
  const short = await newKey(ada, 2 * HOUR);
  expect(await toldAbout(short.id)).toEqual([]);
});

test('another expiry is announced again', async () => {
  const ada = await signUp(world, gateway);
  const { id } = await newKey(ada, 30 * DAY);
  await expireIn(id, 2 * HOUR);
  expect(await toldAbout(id)).toEqual([ada.email]);
  const body = { expires_at: inFuture(20 * DAY) };
  const changed = await ada.person.ask({
    ...{ method: 'PATCH', path: `/api/keys/${id}`, body, headers: ada.bearer },
  });
  expect(changed.status).toBe(200);
  await expireIn(id, 6 * DAY);
  expect(await toldAbout(id)).toEqual([ada.email, ada.email]);
});

test('a key that was revoked or extended before its e-mail was sent gets none, and neither does a suppressed address', async () => {
  const ada = await signUp(world, gateway);
  const { id } = await newKey(ada, 30 * DAY);
  await world.query(
    "INSERT INTO mail_suppression (address, until) VALUES ($1, now() + interval '1 day')",
    [ada.email],
  );
  await expireIn(id, 2 * HOUR);
  expect(await toldAbout(id)).toEqual([ada.email]);
  await expect.poll(async () => (await outcomesOf(id))[0], { timeout: 10_000 }).toBe('suppressed');
  const other = await signUp(world, gateway);
  const extended = await newKey(other, 30 * DAY);
  await world.query(
    `INSERT INTO mail_job (id, kind, address, subject_id, give_up_at)
     VALUES ($1, 'key_expires', $2, $3, now() + interval '1 day')`,
    [randomUUID(), other.email, extended.id],
  );
  await expect
    .poll(async () => (await outcomesOf(extended.id))[0], { timeout: 10_000 })
    .toBe('dropped');
});

const outcomesOf = async (id: string) =>
  (
    await world.query<{ outcome: string | null }>(
      'SELECT outcome FROM mail_job WHERE subject_id = $1',
      [id],
    )
  ).map(({ outcome }) => outcome);

test('the member who created an organization’s key is told, and its owners once that member has left', async () => {
  const { id: organization_id, owner, path, join } = await organization();
  const member = await join([ADMIN], 'creator');
  const create = async () => {
    const { body } = await askAs<{ id: string }>(member, {
      path: `${path}/keys`,
      body: {
        ...{ name: `key ${randomUUID()}`, mcp_capabilities: [] },
        ...{ expires_at: inFuture(30 * DAY), team_ids: [] },
      },
    });
    return body.id;
  };
  const first = await create();
  const second = await create();
  await expireIn(first, 6 * DAY);
  expect(await toldAbout(first)).toEqual([member.email]);
  expect((await world.mailbox.next(member.email)).text).toContain(
    `/app/org/${organization_id}/keys/${first}`,
  );

  await world.query(
    'UPDATE membership SET left_at = now() WHERE organization_id = $1 AND account_id = $2',
    [organization_id, member.account_id],
  );
  await expireIn(second, 6 * DAY);
  expect(await toldAbout(second)).toEqual([owner.email]);
});
