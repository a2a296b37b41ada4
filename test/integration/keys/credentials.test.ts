import { openPolicies } from '../../support/worlds/policies.ts';
import { expect, test } from 'vitest';
import { touchKeys } from '../../../src/keys/store.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { actor, createKeyring } from '../../support/people/keyring.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { fromHere } from '../../support/from-here.ts';

const ring = await closeAfterTests(createKeyring(await createDeployment()));

const refused = {
  kind: 'unauthenticated',
  code: 'invalid_credential',
  message:
    'The credential is not valid. It may be incomplete, expired or revoked: use another one.',
};
const run = (statement: ReturnType<typeof sql.unsafe>) => ring.database.pool.query(statement);

test('a secret resolves to its key and account, with the current state of its scope', async () => {
  const account = await ring.addAccount();
  const tool_policy = { mode: 'whitelist', tools: [ring.tools[0]!.id] };
  const key = await ring.addKey(account, { mcp_capabilities: ['tools'], tool_policy });

  const caller = await ring.credentials.authenticate(key.secret, fromHere);

  const { scopes } = await ring.session(account);
  expect(caller).toEqual({
    credential: { kind: 'api_key', id: key.id },
    subject: `api_key:${key.id}`,
    context: `account:${account}`,
    person: account,
    organization: null,
    quota_owner: { kind: 'account', id: account, plan: 'free' },
    scopes: [
      {
        kind: 'account',
        id: account,
        revision: expect.any(Number),
        applied: expect.any(Number),
        nonce: expect.any(String),
        content: expect.any(Number),
      },
    ],
    ...openPolicies,
    tool_policy,
    default_agent_id: null,
    team_ids: null,
    audit_arguments: false,
    tool_listing: 'all',
    restrictions: null,
  });
  expect(scopes).toMatchObject(caller.scopes);
});

test('the secret is `sk_` and a UUID v4, and only its hash is stored (rel:P15)', async () => {
  const account = await ring.addAccount();
  const { id, secret, secret_prefix } = await ring.addKey(account);

  expect(secret).toMatch(
    /^sk_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(secret_prefix).toBe(secret.slice(0, 7));
  const { rows } = await run(sql.unsafe`
    SELECT secret_hash = sha256(${secret}::bytea) AS hashed, to_jsonb(api_key)::text AS text
    FROM api_key WHERE id = ${id}`);
  expect(rows[0]).toMatchObject({ hashed: true });
  expect(JSON.stringify(rows)).not.toContain(secret.slice(7));
});

test('two hundred concurrent requests each resolve to their own key (rel:P5)', async () => {
  const accounts = await Promise.all([ring.addAccount(), ring.addAccount()]);
  const created = await Promise.all(accounts.map((account) => ring.addKey(account)));
  const requested = Array.from({ length: 200 }, (_, n) => created[n % 2]!);

  const callers = await Promise.all(
    requested.map(({ secret }) => ring.credentials.authenticate(secret, fromHere)),
  );

  expect(callers.map(({ credential }) => credential.id)).toEqual(requested.map(({ id }) => id));
});

test('a revoked key is refused from the next request on (A5)', async () => {
  const account = await ring.addAccount();
  const key = await ring.addKey(account);
  await ring.credentials.authenticate(key.secret, fromHere);

  await ring.keys.revoke(await ring.session(account), key.id, actor);

  await expect(ring.credentials.authenticate(key.secret, fromHere)).rejects.toMatchObject(refused);
});

test("a key is refused from its expiry on, by the database's clock (rel:B1-3)", async () => {
  const key = await ring.addKey(await ring.addAccount());

  await run(sql.unsafe`UPDATE api_key SET expires_at = now() + '1 hour' WHERE id = ${key.id}`);
  await ring.credentials.authenticate(key.secret, fromHere);
  await run(sql.unsafe`UPDATE api_key SET expires_at = now() WHERE id = ${key.id}`);

  await expect(ring.credentials.authenticate(key.secret, fromHere)).rejects.toMatchObject(refused);
});

test('a key of a deactivated account is refused at once (rel:B1-3)', async () => {
  const account = await ring.addAccount();
  const key = await ring.addKey(account);

  await run(sql.unsafe`UPDATE account SET status = 'deactivated' WHERE id = ${account}`);

  await expect(ring.credentials.authenticate(key.secret, fromHere)).rejects.toMatchObject(refused);
});

test('a key’s last use is written if it is unset or a minute old, and only once for many requests', async () => {
  const account = await ring.addAccount();
  const key = await ring.addKey(account);
  const other = await ring.addKey(account);
  const use = async () => {
    await Promise.all(
      Array.from({ length: 20 }, () => ring.credentials.authenticate(key.secret, fromHere)),
    );
    await ring.keys.stop();
    return (await ring.keys.get(await ring.session(account), key.id)).last_used_at;
  };

  const first = await use();
  const again = await use();
  await run(
    sql.unsafe`UPDATE api_key SET last_used_at = now() - '61 seconds'::interval WHERE id = ${key.id}`,
  );
  const later = await use();

  expect(key.last_used_at).toBeNull();
  expect(first).not.toBeNull();
  expect(again).toBe(first);
  expect(later! > first!).toBe(true);
  expect((await ring.keys.get(await ring.session(account), other.id)).last_used_at).toBeNull();
});

test('several instances that record the same use write it once a minute', async () => {
  const account = await ring.addAccount();
  const key = await ring.addKey(account);
  const touch = async () => {
    await touchKeys(ring.database.pool, [key.id]);
    return (await ring.keys.get(await ring.session(account), key.id)).last_used_at;
  };

  const first = await touch();

  expect(first).not.toBeNull();
  expect(await touch()).toBe(first);
});

test('a key in a dirty scope can be revoked, but no check with it succeeds (authorization.md 5)', async () => {
  const account = await ring.addAccount();
  const key = await ring.addKey(account);
  await run(sql.unsafe`UPDATE authz_scope SET revision = revision + 1 WHERE id = ${account}`);
  const caller = await ring.session(account);
  await expect(ring.authz.check(caller, ['can_see'])).rejects.toMatchObject({
    kind: 'unavailable',
  });

  expect(await ring.keys.get(caller, key.id)).toMatchObject({ id: key.id });
  await ring.keys.revoke(caller, key.id, actor);

  await expect(ring.credentials.authenticate(key.secret, fromHere)).rejects.toMatchObject(refused);
});
