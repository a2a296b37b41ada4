import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createKey, ownAddresses, selectTools, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useProxiedGateway } from '../../support/worlds/use-proxied-gateway.ts';

const {
  world,
  gateway,
  proxy: openfga,
} = await useProxiedGateway('OPENFGA_API_URL', { ...ownAddresses, AUTHZ_CACHE: 'off' });

/**
 * Faults that keep OpenFGA from deciding about an account; each returns a function that undoes it.
 */
const outages: Record<string, (who: SignedUp) => Promise<() => void>> = {
  'OpenFGA is unavailable': async () => {
    openfga.down();
    return () => openfga.pass();
  },
  'the account’s scope is stuck': async ({ account_id }) => {
    await world.query(
      `UPDATE authz_scope SET revision = revision + 1, dirty_since = now(), stuck_since = now()
       WHERE kind = 'account' AND id = $1`,
      [account_id],
    );
    return () => {};
  },
};

interface Listed {
  data: { id: string; default_agent?: unknown }[];
}
const statusOf = async (who: SignedUp, method: string, path: string, body?: object) =>
  (await who.person.ask({ method, path, headers: who.bearer, ...(body ? { body } : {}) })).status;
const list = async (who: SignedUp, path: string) => {
  const { status, body } = await who.person.ask<Listed>({ path, headers: who.bearer });
  expect([path, status]).toEqual([path, 200]);
  return body.data;
};

/**
 * Creates an account with a second session, a key with a default agent, a passkey and an identity.
 */
async function createOwner(): Promise<SignedUp & { secret: string; other: string }> {
  const ada = await signUp(world, gateway);
  // After an outage, a gateway tries OpenFGA again once a second.
  await vi.waitFor(
    async () => expect(await statusOf(ada, 'GET', '/api/user/profile')).toBe(200),
    10_000,
  );
  // A tool that needs a permission, so that computing the key's view requires OpenFGA.
  await selectTools(ada, ['create_agent']);
  const agent = await ada.person.ask<{ id: string }>({
    path: '/api/me/agents',
    body: { name: 'a', description: 'a', instructions: 'a' },
    headers: ada.bearer,
  });
  const { secret } = await createKey(ada, {
    mcp_capabilities: ['tools', 'agents'],
    default_agent_id: agent.body.id,
  });
  await world.query(
    `INSERT INTO account_passkey (id, account_id, credential_id, public_key, counter, transports, name)
     VALUES ($1, $2, $3, '', 0, '{}', 'p')`,
    [randomUUID(), ada.account_id, randomUUID()],
  );
  await world.query(
    `INSERT INTO account_identity (id, account_id, provider, issuer, subject)
     VALUES ($1, $2, 'github', 'https://github.test', $3)`,
    [randomUUID(), ada.account_id, randomUUID()],
  );
  // Inserted directly: another sign-in would require the passkey.
  const [other] = await world.query<{ id: string }>(
    `INSERT INTO account_session SELECT * FROM jsonb_populate_record(NULL::account_session,
       (SELECT to_jsonb(s) FROM account_session s WHERE account_id = $1 LIMIT 1)
         || jsonb_build_object('id', gen_random_uuid())) RETURNING id`,
    [ada.account_id],
  );
  return { ...ada, secret, other: other!.id };
}

const mcpStatusOf = async (secret: string) =>
  (await fetch(`${gateway.url}/mcp`, { method: 'DELETE', headers: { 'x-api-key': secret } }))
    .status;

test.each(Object.keys(outages))(
  'while %s, an account can list and delete its keys, sessions, passkeys and identities',
  async (name) => {
    const ada = await createOwner();
    const [shown] = await list(ada, '/api/keys');
    expect(shown!.default_agent).toMatchObject({ name: 'a' });
    const proof = { current_password: ada.password };

    const restore = await outages[name]!(ada);
    try {
      expect(await statusOf(ada, 'GET', '/api/user/profile')).toBe(503);

      const [key] = await list(ada, '/api/keys');
      expect(key!.default_agent).toEqual({ available: null });
      expect(await statusOf(ada, 'GET', `/api/keys/${key!.id}`)).toBe(200);
      expect(await statusOf(ada, 'DELETE', `/api/keys/${key!.id}`)).toBe(204);
      expect(await list(ada, '/api/keys')).toEqual([]);
      expect(await mcpStatusOf(ada.secret)).toBe(401);

      const sessions = (await list(ada, '/api/auth/sessions')).map(({ id }) => id);
      expect(sessions).toContain(ada.other);
      expect(await statusOf(ada, 'DELETE', `/api/auth/sessions/${ada.other}`)).toBe(204);
      expect(await list(ada, '/api/auth/sessions')).toHaveLength(sessions.length - 1);

      for (const path of ['/api/user/passkeys', '/api/user/identities']) {
        const [credential] = await list(ada, path);
        expect(await statusOf(ada, 'DELETE', `${path}/${credential!.id}`, proof)).toBe(204);
        expect(await list(ada, path)).toEqual([]);
      }
      const change = { ...proof, password: 'lantern orbit velvet 43' };
      expect(await statusOf(ada, 'POST', '/api/user/password', change)).toBe(204);
    } finally {
      restore();
    }
  },
);

test('another account’s key, session, passkey and identity are not found', async () => {
  const [ada, eve] = [await createOwner(), await signUp(world, gateway, 'eve')];
  const proof = { current_password: eve.password };
  for (const path of [
    '/api/keys',
    '/api/auth/sessions',
    '/api/user/passkeys',
    '/api/user/identities',
  ]) {
    const own = await list(ada, path);
    const others = (await list(eve, path)).map(({ id }) => id);
    for (const { id } of own) {
      expect(others).not.toContain(id);
      expect([path, await statusOf(eve, 'DELETE', `${path}/${id}`, proof)]).toEqual([path, 404]);
    }
    expect(await list(ada, path)).toEqual(own);
  }
});
