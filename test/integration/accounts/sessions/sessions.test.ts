import { describe, expect, test } from 'vitest';
import { createPerson, oneAddress, signUp } from '../../../support/people/people.ts';
import type { Answer } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(oneAddress);
const { url } = gateway;
const ada = await signUp(world, gateway);

interface Errors {
  errors: { code: string; message: string }[];
}
const signIn = (email: string, password: string, person = createPerson(url)) =>
  person.ask<Errors>({ path: '/api/auth/login', body: { email, password } });
const profile = (headers: Record<string, string>) =>
  ada.person.ask<Errors>({ path: '/api/user/profile', headers });
const refresh = (cookie: string | undefined, headers: Record<string, string> = {}) =>
  ada.person.ask<{ access_token: string }>({
    method: 'POST',
    path: '/api/auth/refresh',
    headers: { ...(cookie === undefined ? {} : { cookie: `refresh=${cookie}` }), ...headers },
  });
const statuses = (answers: readonly Answer<unknown>[]) => answers.map(({ status }) => status);

describe('a session', () => {
  test('is in cookies that scripts and other sites cannot read (rel:B6-4)', async () => {
    const { headers } = await signIn(ada.email, ada.password);

    const [session, refreshed] = headers.getSetCookie();
    expect(session).toMatch(/^session=[^;]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(refreshed).toMatch(
      /^refresh=[^;]+; Max-Age=2592000; Path=\/api\/auth; HttpOnly; SameSite=Strict$/,
    );
  });

  test('is Secure, with prefixes, behind https (rel:B6-4)', async () => {
    const behind = await world.gateway({ env: { PUBLIC_URL: 'https://tools.example.com' } });

    const { headers } = await signIn(ada.email, ada.password, createPerson(behind.url));

    const [session, refreshed] = headers.getSetCookie();
    expect(session).toMatch(/^__Host-session=[^;]+;.* Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(refreshed).toMatch(
      /^__Secure-refresh=[^;]+;.* Path=\/api\/auth; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  test('authenticates by bearer and by cookie', async () => {
    const byCookie = await profile({ cookie: `session=${ada.cookies.get('session')}` });

    expect(await profile(ada.bearer)).toMatchObject({ status: 200, body: { email: ada.email } });
    expect(byCookie).toMatchObject({ status: 200, body: { email: ada.email } });
  });

  test('ends at sign-out, at once and on every gateway', async () => {
    const other = await world.gateway();
    const { cookies } = await signIn(ada.email, ada.password);
    const headers = { authorization: `Bearer ${cookies.get('session')}` };
    expect((await profile(headers)).status).toBe(200);
    const elsewhere = { path: '/api/user/profile', headers };
    expect((await createPerson(other.url).ask(elsewhere)).status).toBe(200);

    const out = await ada.person.ask({ method: 'POST', path: '/api/auth/logout', headers });

    expect([out.status, out.body]).toEqual([204, undefined]);
    expect([...out.cookies]).toEqual([
      ['session', ''],
      ['refresh', ''],
    ]);
    expect((await profile(headers)).status).toBe(401);
    expect((await createPerson(other.url).ask(elsewhere)).status).toBe(401);
    expect((await refresh(cookies.get('refresh'))).status).toBe(401);
    const again = await ada.person.ask({ method: 'POST', path: '/api/auth/logout', headers });
    expect(again.status).toBe(401);
    expect((await profile(ada.bearer)).status).toBe(200);
  });

  test('has access tokens that expire after fifteen minutes of database time', async () => {
    const { body } = await signIn(ada.email, ada.password);
    const token = (body as unknown as { access_token: string }).access_token;
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const [now] = await world.query<{ now: number }>(
      'SELECT extract(epoch FROM now())::float AS now',
    );

    expect(claims.exp - claims.iat).toBe(900);
    expect(Math.abs(claims.iat - now!.now)).toBeLessThan(60);
  });

  test('is refused after its expiry with the same 401 as one that never existed', async () => {
    const { cookies } = await signIn(ada.email, ada.password);
    await world.query(`UPDATE account_session SET expires_at = now() WHERE id = $1`, [
      cookies.get('refresh')!.split('.')[0],
    ]);

    const over = await profile({ authorization: `Bearer ${cookies.get('session')}` });
    const never = await profile({ authorization: 'Bearer a.b.c' });

    expect([over.status, over.body]).toEqual([401, never.body]);
    expect((await refresh(cookies.get('refresh'))).status).toBe(401);
  });
});

test('beyond a hundred active sessions, the least recently used one ends; ended and expired ones do not count', async () => {
  const bob = await signUp(world, gateway, 'bob');
  await world.query(
    `INSERT INTO account_session (id, account_id, amr, expires_at, revoked_at, rotated_at)
     SELECT gen_random_uuid(), $1, '{pwd}', now() + days * interval '1 day', ended,
       now() - n * interval '1 minute'
     FROM generate_series(1, 100) AS n,
       (VALUES (1, NULL::timestamptz), (1, now()), (-1, NULL)) AS kind (days, ended)`,
    [bob.account_id],
  );

  const signedIn = await signIn(bob.email, bob.password);

  const live = await world.query<{ oldest: number }>(
    `SELECT round(extract(epoch FROM now() - rotated_at) / 60)::int AS oldest FROM account_session
     WHERE account_id = $1 AND revoked_at IS NULL AND expires_at > now() ORDER BY rotated_at`,
    [bob.account_id],
  );
  const ended = await world.query(
    `SELECT FROM audit_event WHERE scope_id = $1 AND action = 'session.end'`,
    [bob.account_id],
  );
  expect([signedIn.status, live.length, live[0]!.oldest, ended.length]).toEqual([200, 100, 98, 2]);
});

describe('refresh', () => {
  const open = async () => (await signIn(ada.email, ada.password)).cookies.get('refresh')!;
  const later = (token: string) =>
    world.query(
      `UPDATE account_session SET rotated_at = rotated_at - interval '11 seconds' WHERE id = $1`,
      [token.split('.')[0]],
    );
  const isLive = async (token: string) => {
    const [row] = await world.query<{ live: boolean }>(
      'SELECT revoked_at IS NULL AS live FROM account_session WHERE id = $1',
      [token.split('.')[0]],
    );
    return row!.live;
  };

  test('renews both tokens, without a body or content type', async () => {
    const first = await open();

    const answer = await refresh(first);

    expect(answer).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 900, user: { email: ada.email } },
    });
    expect(answer.cookies.get('refresh')).not.toBe(first);
    const headers = { authorization: `Bearer ${answer.body.access_token}` };
    expect((await profile(headers)).status).toBe(200);
  });

  test('twenty times at once yields one successor (rel:B6-8, P7)', async () => {
    const first = await open();

    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(first)));

    expect(statuses(answers)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ cookies }) => cookies.get('refresh'))).size).toBe(1);
  });

  test('with a token used more than ten seconds ago ends the session (rel:B6-8)', async () => {
    const first = await open();
    const next = (await refresh(first)).cookies.get('refresh')!;
    await later(first);

    expect((await refresh(first)).status).toBe(401);

    expect(await isLive(first)).toBe(false);
    expect((await refresh(next)).status).toBe(401);
  });

  test('with an older ancestor ends the session at any time (rel:B6-8)', async () => {
    const first = await open();
    const second = (await refresh(first)).cookies.get('refresh')!;
    const third = (await refresh(second)).cookies.get('refresh')!;

    expect((await refresh(first)).status).toBe(401);

    expect((await refresh(third)).status).toBe(401);
    expect(await isLive(first)).toBe(false);
  });

  test('adds no row even if repeated', async () => {
    const first = await open();
    const rows = async () => {
      const [found] = await world.query<{ rows: number }>(
        `SELECT sum((xpath('/row/n/text()', query_to_xml(
           format('SELECT count(*) AS n FROM %I', relname), false, true, '')))[1]::text::int)::int
           AS rows FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
      );
      return found!.rows;
    };
    const before = await rows();

    let token = first;
    for (let step = 0; step < 40; step += 1) token = (await refresh(token)).cookies.get('refresh')!;

    expect(new Set([first, token]).size).toBe(2);
    expect(await rows()).toBe(before);
  });

  test('with a guessed token ends no session', async () => {
    const first = await open();
    const next = (await refresh(first)).cookies.get('refresh')!;
    const [session, , signature] = first.split('.');
    const guesses = [`${session}.0.${'A'.repeat(43)}`, `${session}.1.${signature}`, 'x', undefined];

    expect(statuses(await Promise.all(guesses.map((guess) => refresh(guess))))).toEqual(
      guesses.map(() => 401),
    );
    expect((await refresh(next)).status).toBe(200);
  });

  test('does not accept an access token, nor is a refresh token accepted as an access token', async () => {
    const { cookies } = await signIn(ada.email, ada.password);

    expect((await refresh(cookies.get('session'))).status).toBe(401);
    expect((await profile({ authorization: `Bearer ${cookies.get('refresh')}` })).status).toBe(401);
  });

  test('does not extend the session beyond thirty days after its sign-in', async () => {
    const first = await open();
    await world.query(
      `UPDATE account_session SET expires_at = now() + interval '1 hour' WHERE id = $1`,
      [first.split('.')[0]],
    );

    const { headers } = await refresh(first);

    const maxAge = Number(/Max-Age=(\d+); Path=\/api\/auth/.exec(headers.getSetCookie()[1]!)![1]);
    expect(maxAge).toBeLessThanOrEqual(3_600);
    expect(maxAge).toBeGreaterThan(3_500);
  });

  test('stores no part of a token, not even its hash', async () => {
    const first = await open();
    const next = (await refresh(first)).cookies.get('refresh')!;

    const rows = await world.query(
      `SELECT s::text AS row FROM account_session s
       UNION ALL SELECT e::text FROM audit_event e`,
    );
    for (const token of [first, next])
      expect(JSON.stringify(rows)).not.toContain(token.split('.')[2]);
  });
});
