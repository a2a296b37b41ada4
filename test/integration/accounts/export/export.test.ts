import { expect, test } from 'vitest';
import { createAuthenticator } from '../../../support/people/authenticator.ts';
import { addPasskey } from '../../../support/people/factors.ts';
import {
  createKey,
  createPerson,
  newEmail,
  ownAddresses,
  selectTools,
  signUp,
} from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { ask as askMcp, toolId } from '../../mcp/key-holder.ts';
import { createChanging } from '../email-change/changing-email.ts';
import { OWN, publicDraft, registered } from '../../oauth/clients/registering.ts';

const { world, gateway } = await useGateway(ownAddresses);

interface Exported {
  [part: string]: unknown;
  account: { id: string };
  keys: { id: string; name: string; revoked_at: string | null }[];
  sessions: { id: string }[];
  usage: { months: { calls: number }[]; calls: { item_name: string }[] };
  audit: { action: string }[];
}
const exportOf = ({ person, bearer }: SignedUp) =>
  person.ask<Exported>({ path: '/api/user/export', headers: bearer });

async function someone(name: string) {
  const who = await signUp(world, gateway, name);
  await selectTools(who, ['calculator']);
  const keys = [await createKey(who), await createKey(who)];
  await who.person.ask({ method: 'DELETE', path: `/api/keys/${keys[0]!.id}`, headers: who.bearer });
  const call = { name: 'calculator', arguments: { expression: '6 * 7' } };
  await askMcp(`${gateway.url}/mcp`, { 'x-api-key': keys[1]!.secret }, 'tools/call', call);
  const client = await registered(who, OWN, { ...publicDraft, type: 'confidential' });
  return { ...who, keys, client };
}

test('an export is one file with all of the account’s data and no other account’s', async () => {
  const [ada, ben] = [await someone('ada'), await someone('ben')];
  const passkey = await addPasskey(ada, createAuthenticator(gateway.config.PUBLIC_URL));
  const used = async () => (await exportOf(ada)).body.usage.months.length;
  await expect.poll(used).toBe(1);

  const { status, headers, body } = await exportOf(ada);

  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toBe('attachment; filename="toolgate-account.json"');
  expect(headers.get('cache-control')).toBe('no-store');
  const profile = await ada.person.ask({ path: '/api/user/profile', headers: ada.bearer });
  expect(Object.keys(body).toSorted()).toEqual(
    [
      ...[
        'account',
        'agents',
        'audit',
        'connections',
        'custom_tools',
        'directory_users',
        'exported_at',
        'identities',
        'invitations',
        'keys',
        'organization_items',
        'organizations',
        'mcp_settings',
      ],
      ...[
        'most_of_a_list',
        'oauth_clients',
        'passkeys',
        'prompts',
        'reserved_addresses',
        'resources',
        'second_factors',
        'sessions',
        'settings',
        'upstreams',
        'usage',
      ],
    ].toSorted(),
  );
  expect(body.account).toEqual(profile.body);
  expect(body.sessions).toHaveLength(1);
  expect(body['passkeys']).toMatchObject([{ id: passkey.id, name: 'Phone' }]);
  expect(body.keys.map(({ id, revoked_at }) => [id, revoked_at !== null])).toEqual([
    [ada.keys[1]!.id, false],
    [ada.keys[0]!.id, true],
  ]);
  const { id, name, allowed_scopes } = ada.client;
  expect(body['oauth_clients']).toMatchObject([{ id, name, allowed_scopes }]);
  expect(body['mcp_settings']).toEqual({ tools: [toolId('calculator')], platform_prompts: [] });
  expect(body.usage.calls.map(({ item_name }) => item_name)).toEqual(['calculator']);
  const actions = new Set(body.audit.map(({ action }) => action));
  for (const action of ['account.verify', 'account.export', 'key.create', 'key.revoke'])
    expect(actions).toContain(action);
  const text = JSON.stringify(body);
  const ofBen = [ben.account_id, ben.email, ben.client.id, ...ben.keys.map((key) => key.id)];
  for (const foreign of ofBen) expect(text).not.toContain(foreign);
  expect(text).not.toContain(ada.client.client_secret);
});

test('an export contains no secrets and no hashes of secrets (P15)', async () => {
  const ada = await someone('ada');
  const changing = createChanging(world, gateway);
  const back = await changing.move(ada, ada.email, newEmail('new'));
  const session = await ada.person.ask<{ access_token: string }>({
    path: '/api/auth/login',
    body: { email: await changing.emailOf(ada), password: ada.password },
  });
  const bearer = { authorization: `Bearer ${session.body.access_token}` };
  const pending = await changing.linkFor(ada, newEmail('third'));

  const { status, body } = await exportOf({ ...ada, bearer });

  expect(status).toBe(200);
  expect(body['reserved_addresses']).toEqual([ada.email]);
  const text = JSON.stringify(body);
  const secrets = [
    ada.password,
    ...ada.keys.map(({ secret }) => secret),
    session.body.access_token,
    session.cookies.get('refresh')!,
    back,
    pending,
  ];
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/argon2|_hash|"Buffer"|"secret"|\\\\x[0-9a-f]{16}/);
  const stored = await world.query<{ hash: string }>(
    `SELECT encode(secret_hash, 'hex') AS hash FROM api_key WHERE account_id = $1
     UNION ALL SELECT encode(token_hash, 'hex') FROM email_reservation WHERE account_id = $1
     UNION ALL SELECT password_hash FROM account WHERE id = $1`,
    [ada.account_id],
  );
  expect(stored.length).toBeGreaterThanOrEqual(4);
  for (const { hash } of stored) {
    expect(text).not.toContain(hash);
    if (/^[0-9a-f]+$/.test(hash))
      expect(text).not.toContain(Buffer.from(hash, 'hex').toString('base64'));
  }
});

test('a long history is truncated to the newest ten thousand entries', async () => {
  const ada = await signUp(world, gateway, 'ada');
  await world.query(
    `INSERT INTO audit_event (id, at, actor_kind, action, scope_kind, scope_id)
     SELECT gen_random_uuid(), now() - interval '1 year', 'system', 'mcp_settings.update',
       'account', $1 FROM generate_series(1, 12000)`,
    [ada.account_id],
  );

  const { body } = await exportOf(ada);

  expect(body.audit).toHaveLength(10_000);
  expect(body['most_of_a_list']).toBe(10_000);
  expect(body.audit[0]!.action).toBe('account.export');
});

test('only a session may export; a key is refused with 403 (rel:B1-12)', async () => {
  const ada = await signUp(world, gateway, 'ada');
  const { secret } = await createKey(ada);
  const ask = async (headers: Record<string, string>) =>
    (await createPerson(gateway.url).ask({ path: '/api/user/export', headers })).status;

  expect([await ask({}), await ask({ 'x-api-key': secret })]).toEqual([401, 403]);
});
