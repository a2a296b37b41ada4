import { expect, test } from 'vitest';
import { memberRoutes, organizationRoutes } from '../../support/access/organization-routes.ts';
import { names } from '../../support/access/permissions.ts';
import type { Row } from '../../support/access/table.ts';
import { teamRoutes } from '../../support/access/team-routes.ts';
import { createAcme } from './acme.ts';
import { requestOf } from './requests.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const acme = await closeAfterTests(createAcme());
const permissions = [...names.organization, ...names.team];
const key = await acme.keyOf(acme.people.owner, {
  ...{ org_scope: acme.acme, team_ids: [acme.red, acme.blue] },
  grants: [{ scope: { type: 'org', org_id: acme.acme }, permissions }],
});
await acme.joins.setStatus(acme.acme, 'suspended');

const BASE = '/api/organizations/{organization_id}';
/** What stays possible: the plan and its contact, deleting the organization, revoking. */
const OPEN: ReadonlySet<string> = new Set(
  [
    'DELETE ',
    'GET /billing',
    'PATCH /billing',
    'DELETE /keys/{key_id}',
    'DELETE /connections/{connection_id}',
    'DELETE /oauth-clients/{client_id}',
    'DELETE /oauth-clients/{client_id}/secrets/{secret_id}',
    'DELETE /sso/scim-tokens/{token_id}',
    'DELETE /members/{account_id}/credentials/{kind}/{id}',
  ].map((route) => route.replace(' ', ` ${BASE}`)),
);
const rows = [...organizationRoutes, ...memberRoutes, ...teamRoutes];

/** Sends a row's request, and returns its status and error code. */
async function send(row: Row, caller: Record<string, string>) {
  const { body, headers, path } = requestOf(acme, row, 'owner');
  const response = await fetch(`${acme.gateway.url}${path}`, {
    method: row.method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
      ...caller,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { errors } = (text === '' ? {} : JSON.parse(text)) as { errors?: { code: string }[] };
  return `${row.route}: ${response.status} ${errors?.[0]?.code ?? ''}`.trim();
}

test('in a suspended organization every route but those that end something or show the bill gets a 403', async () => {
  const closed = rows.filter(({ route }) => !OPEN.has(route));
  expect(closed.length).toBeGreaterThan(180);

  for (const row of closed) {
    const refused = `${row.route}: 403 organization_suspended`;
    expect(await send(row, acme.people.owner.bearer)).toBe(refused);
    if (row.who !== 'session' && row.who !== 'token')
      expect(await send(row, key.headers)).toBe(refused);
    expect(await send(row, acme.people.stranger.bearer)).toBe(`${row.route}: 404 not_found`);
  }
}, 300_000);

test('the others work', async () => {
  const open = rows.filter(({ route }) => OPEN.has(route));
  expect(open.length).toBeGreaterThan(4);

  for (const row of open)
    expect(await send(row, acme.people.owner.bearer)).not.toMatch(/organization_suspended|: 5/);
});
