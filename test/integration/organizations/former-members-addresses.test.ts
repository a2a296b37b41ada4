import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { insertCalls } from '../../../src/limits/ledger/store.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { ADMIN, askAs, askPresent, MEMBER } from '../../support/people/organizations.ts';
import { newEmail, tokenOf } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { publicDraft } from '../oauth/clients/registering.ts';

const teams = await useTeams();
const url = teams.gateway.config.DATABASE_URL;
const database = await closeAfterTests(createDatabase({ url, onIdleError: () => {} }));
const created = await teams.organization();
const owner = created.owner;
const path = `/api/organizations/${created.id}`;
await teams.gateway.service.organizations.setPlan(created.id, 'enterprise');
const mia = await teams.join(created.id, 'mia', [ADMIN]);
await act(created.id);
const gone = `${path}/members/${mia.account_id}`;
expect((await askAs(owner, { method: 'DELETE', path: gone })).status).toBe(204);
const address = await changeAddress();

/** Leaves Mia’s traces in an organization. */
async function act(owner_id: string) {
  const made = [
    await askAs(mia, { path: `${path}/keys`, body: { name: 'ci', mcp_capabilities: ['tools'] } }),
    await askAs(mia, {
      path: `${path}/invitations`,
      body: { email: newEmail('guest'), role_ids: [MEMBER] },
    }),
    await askAs(mia, { path: `${path}/oauth-clients`, body: publicDraft }),
    await askPresent(mia, { path: `${path}/sso/scim-tokens`, body: { name: 'Okta' } }),
  ];
  expect(made.map(({ status, body }) => [status, status === 201 ? null : body])).toEqual(
    made.map(() => [201, null]),
  );
  const client = await insertClient(teams.world, {
    ...{ owner: { organization_id: owner_id }, team_ids: null, scopes: ['mcp_tools'] },
  });
  const peer = createOAuthPeer(teams.gateway);
  const { status } = await peer.exchange(client, await peer.authorize(client, mia));
  expect(status).toBe(200);
  await insertCalls(database.pool, [
    {
      ...{ call_id: randomUUID(), month: `${new Date().toISOString().slice(0, 7)}-01` },
      ...{ owner_kind: 'organization', owner_id, account_id: mia.account_id, space_id: null },
      ...{ kind: 'tool_call', counted: true, arguments: null, item_id: 'hash', item_name: 'hash' },
      ...{ key_id: randomUUID(), credential_kind: 'api_key' },
      ...{ outcome: 'ok', layer: 'ok', duration_ms: 3 },
    },
  ]);
}

async function changeAddress(): Promise<string> {
  const email = `mia-${randomUUID().slice(0, 8)}@private.example`;
  const body = { email, current_password: mia.password };
  expect((await askAs(mia, { path: '/api/user/email', body })).status).toBe(202);
  const token = tokenOf(await teams.world.mailbox.next(email));
  const confirmed = await askAs(mia, { path: '/api/user/email/confirm', body: { token } });
  expect(confirmed.status).toBeLessThan(300);
  return email;
}

test.each([
  '/audit',
  '/keys',
  '/invitations',
  '/oauth-clients',
  '/connections',
  '/sso/scim-tokens',
  '/usage',
  '/calls',
])(
  'an organization does not learn the address that a former member has taken since: %s (rel:P1)',
  async (list) => {
    const { status, body } = await askAs(owner, { path: `${path}${list}` });

    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain(mia.account_id);
    expect(JSON.stringify(body)).not.toContain(address);
  },
);
