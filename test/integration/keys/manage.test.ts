import { expect, test } from 'vitest';
import { z } from 'zod';
import { personalPermissions } from '../../../src/authz/permissions.ts';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { sql } from '../../../src/platform/postgres/database.ts';
import { PageQuery } from '../../../src/platform/http/pages.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { actor, createKeyring, draftOf } from '../../support/people/keyring.ts';
import { codes, createKeyOperations, unknownId } from './managing.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { fromHere } from '../../support/from-here.ts';

const ring = await closeAfterTests(createKeyring(await createDeployment()));

const { create, update } = createKeyOperations(() => ring);
const Left = z.object({ revoked: z.number(), are_newest: z.boolean() });

test('a key is read back as it was created, without its secret (K)', async () => {
  const account = await ring.addAccount();
  const fields = {
    name: 'release bot',
    grants: [{ scope: { type: 'personal' }, permissions: ['can_update_tools', 'can_view_usage'] }],
    mcp_capabilities: ['tools', 'agents'],
    tool_policy: { mode: 'blacklist', tools: [ring.tools[1]!.id.toUpperCase()] },
    resource_policy: { mode: 'whitelist', patterns: ['docs/**'] },
    expires_at: '2100-01-01T01:00:00+01:00',
  };

  const { secret, ...created } = await create(account, fields);

  expect(secret).toMatch(/^sk_/);
  expect(created).toEqual({
    id: created.id,
    name: 'release bot',
    secret_prefix: secret.slice(0, 7),
    grants: fields.grants,
    mcp_capabilities: ['tools', 'agents'],
    org_scope: null,
    tool_policy: { mode: 'blacklist', tools: [ring.tools[1]!.id] },
    resource_policy: { mode: 'whitelist', patterns: ['docs/**'] },
    prompt_policy: { mode: 'all' },
    agent_policy: { mode: 'all' },
    default_agent: null,
    tool_listing: 'all',
    status: 'active',
    expires_at: '2100-01-01T00:00:00.000Z',
    ...{ allowed_addresses: null, hours: null },
    last_used_at: null,
    created_at: created.created_at,
  });
  expect(await ring.keys.get(await ring.session(account), created.id)).toEqual(created);
});

test('the name of an active key is taken, in either Unicode normalization form (rel:K2)', async () => {
  const account = await ring.addAccount();
  await create(account, { name: 'caf\u00e9' });

  expect(await codes(create(account, { name: 'cafe\u0301' }))).toEqual([
    'conflict',
    'name_taken /name',
  ]);
});

test('a name is free if it differs in case, or was used by a revoked key or another account (rel:K2)', async () => {
  const account = await ring.addAccount();
  const { id } = await create(account, { name: 'bot' });

  await create(account, { name: 'Bot' });
  await create(await ring.addAccount(), { name: 'bot' });
  await ring.keys.revoke(await ring.session(account), id, actor);
  await create(account, { name: 'bot' });
});

test('only one of forty concurrent requests for a name succeeds (rel:K2)', async () => {
  const account = await ring.addAccount();

  const results = await Promise.allSettled(
    Array.from({ length: 40 }, () => create(account, { name: 'bot' })),
  );

  const lost = results.filter((result) => result.status === 'rejected');
  expect(lost.map(({ reason }) => (reason as { kind: string }).kind)).toEqual(
    Array(39).fill('conflict'),
  );
});

test('every problem is reported with its pointer, and nothing is saved (rel:K5…K10, rel:K13)', async () => {
  const account = await ring.addAccount();

  const refusal = create(account, {
    grants: [
      { scope: { type: 'personal' }, permissions: ['can_fly', 'can_delete_organization'] },
      { scope: { type: 'personal' } },
      { scope: { type: 'org', org_id: unknownId } },
    ],
    tool_policy: { mode: 'whitelist', tools: [unknownId, ring.tools[2]!.id] },
    prompt_policy: { mode: 'whitelist', prompts: [unknownId] },
    agent_policy: { mode: 'blacklist', agents: [] },
    default_agent_id: unknownId,
    expires_at: '2020-01-01T00:00:00Z',
  });

  expect(await codes(refusal)).toEqual([
    'unprocessable',
    'duplicate_grant /grants/1',
    'unknown_permission /grants/0/permissions/0',
    'permission_not_grantable /grants/0/permissions/1',
    'not_a_member /grants/2/scope/org_id',
    'unknown_item /tool_policy/tools/0',
    'unknown_item /tool_policy/tools/1',
    'unknown_item /prompt_policy/prompts/0',
    'empty_list /agent_policy/agents',
    'agent_unavailable /default_agent_id',
    'expires_at_past /expires_at',
  ]);
  const page = await ring.keys.list(await ring.session(account), PageQuery.parse({}));
  expect(page.data).toEqual([]);
});

test('a taken name is reported before an invalid field (409 before 422)', async () => {
  const account = await ring.addAccount();
  await create(account, { name: 'bot' });

  const refusal = create(account, { name: 'bot', org_scope: unknownId });

  expect(await codes(refusal)).toEqual(['conflict', 'name_taken /name']);
});

test('a write permission implies only the read permission of its own family (G1, rel:K8)', async () => {
  const account = await ring.addAccount();
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_create_prompts'] }];
  const { secret } = await create(account, { grants });

  const caller = await ring.credentials.authenticate(secret, fromHere);

  const relations = personalPermissions.map(({ relation }) => `can_${relation}`);
  const answers = await ring.authz.check(caller, ['can_see', ...relations]);
  expect([...answers].flatMap(([relation, holds]) => (holds ? [relation] : []))).toEqual([
    'can_see',
    'can_prompts_read',
    'can_prompts_create',
  ]);
});

test('a key without a grant can read nothing over REST, but can use MCP (G6, C1)', async () => {
  const { secret } = await create(await ring.addAccount(), { mcp_capabilities: ['tools'] });

  const caller = await ring.credentials.authenticate(secret, fromHere);

  expect((await ring.authz.check(caller, ['can_see'])).get('can_see')).toBe(false);
  expect(await ring.authz.context(caller)).toEqual({
    connected: true,
    capabilities: new Set(['tools']),
    active: new Set(),
  });
});

test('an account has at most a thousand active keys, even with concurrent requests (F-P9)', async () => {
  const account = await ring.addAccount();
  const { id } = await create(account, {});
  await ring.database.authPool.query(
    `INSERT INTO api_key (id, account_id, name, secret_hash, secret_prefix, grants,
       mcp_capabilities, tool_policy, resource_policy, prompt_policy, agent_policy)
     SELECT gen_random_uuid(), account_id, 'key ' || n, ('\\x' || md5(n::text || id))::bytea,
       secret_prefix, grants, mcp_capabilities, tool_policy, resource_policy, prompt_policy,
       agent_policy
     FROM api_key, generate_series(1, 998) AS n WHERE id = $1`,
    [id],
  );

  const answers = await Promise.all([1, 2, 3].map(() => codes(create(account, {}))));

  expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1);
  expect(answers).toContainEqual(['unprocessable', 'limit_reached']);
  await ring.keys.revoke(await ring.session(account), id, actor);
  expect(await codes(create(account, {}))).toBe('accepted');
});

test('only the newest hundred revoked keys are stored, so revoked keys cannot fill the database', async () => {
  const account = await ring.addAccount();
  const kept = await create(account, {});
  const { id } = await create(account, {});
  await ring.database.pool.query(sql.unsafe`
    INSERT INTO api_key (id, account_id, name, secret_hash, secret_prefix, grants,
      mcp_capabilities, tool_policy, resource_policy, prompt_policy, agent_policy, revoked_at)
    SELECT gen_random_uuid(), account_id, name, ('\\x' || md5(n::text || id))::bytea,
      secret_prefix, grants, mcp_capabilities, tool_policy, resource_policy, prompt_policy,
      agent_policy, now() - make_interval(days => n)
    FROM api_key, generate_series(1, 150) n WHERE id = ${id}`);

  await ring.keys.revoke(await ring.session(account), id, actor);

  const left = await ring.database.pool.one(sql.type(Left)`
    SELECT count(*) AS revoked, min(revoked_at) > now() - '100 days'::interval AS are_newest
    FROM api_key WHERE account_id = ${account} AND revoked_at IS NOT NULL`);
  expect(left).toEqual({ revoked: 100, are_newest: true });
  expect((await ring.keys.get(await ring.session(account), kept.id)).status).toBe('active');
});

test('another account’s key and a revoked one get the same response as an unknown one (rel:P3)', async () => {
  const [account, otherAccount] = await Promise.all([ring.addAccount(), ring.addAccount()]);
  const foreign = await create(otherAccount, {});
  const revoked = await create(account, {});
  await ring.keys.revoke(await ring.session(account), revoked.id, actor);

  for (const id of [foreign.id, revoked.id, unknownId]) {
    const caller = await ring.session(account);
    const absent = { kind: 'absent', message: 'Not found.', detail: null };
    await expect(ring.keys.get(caller, id)).rejects.toMatchObject(absent);
    await expect(ring.keys.revoke(caller, id, actor)).rejects.toMatchObject(absent);
    await expect(update(account, id, { name: 'x' })).rejects.toMatchObject(absent);
  }
  expect((await ring.keys.get(await ring.session(otherAccount), foreign.id)).id).toBe(foreign.id);
});

test('the list pages through the active keys, newest first', async () => {
  const account = await ring.addAccount();
  const created = [];
  for (const name of ['a', 'b', 'c', 'd']) created.push(await create(account, { name }));
  await create(await ring.addAccount(), {});
  await ring.keys.revoke(await ring.session(account), created[1]!.id, actor);
  const caller = await ring.session(account);

  const first = await ring.keys.list(caller, PageQuery.parse({ limit: '2' }));
  const second = await ring.keys.list(
    caller,
    PageQuery.parse({ limit: '2', cursor: first.next_cursor! }),
  );

  expect(first.data.map(({ name }) => name)).toEqual(['d', 'c']);
  expect(second.data.map(({ name }) => name)).toEqual(['a']);
  expect(second.next_cursor).toBeNull();
});

test('a change decided on a stale scope fails with ConcurrentUpdate (authorization.md 5)', async () => {
  const account = await ring.addAccount();
  const stale = await ring.session(account);
  await create(account, { name: 'first' });

  await expect(ring.keys.create(stale, draftOf({ name: 'second' }), actor)).rejects.toBeInstanceOf(
    ConcurrentUpdate,
  );

  const page = await ring.keys.list(await ring.session(account), PageQuery.parse({}));
  expect(page.data.map(({ name }) => name)).toEqual(['first']);
});
