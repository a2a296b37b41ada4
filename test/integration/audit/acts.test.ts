import { expect, onTestFinished, test } from 'vitest';
import { actions } from '../../../src/caller/actions.ts';
import type { Action } from '../../../src/caller/actions.ts';
import { createDnsServer } from '../../support/servers/dns-server.ts';
import { createOpenIdServer } from '../../support/people/openid-server.ts';
import { ownAddresses } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import type { ExpectedRow } from './action-context.ts';
import { acts, prepare } from './acts.ts';
import { readAll } from './every-row.ts';

const provider = await closeAfterTests(createOpenIdServer());
const dns = await closeAfterTests(createDnsServer());
const { world, gateway } = await useGateway({
  ...ownAddresses,
  ...provider.env,
  DNS_SERVERS: dns.address,
});

const rows = () =>
  world.query<Record<string, unknown> & { id: string }>(
    'SELECT * FROM audit_event ORDER BY at, id',
  );

test('every action in the table of actions is covered here', () => {
  // Nobody does this one by a request: test/integration/authz/foreign-writes.test.ts.
  const { 'authz.foreign_write': _, ...requested } = actions;

  expect(Object.keys(acts).toSorted()).toEqual(Object.keys(requested).toSorted());
});

const person = {
  actor_kind: 'user',
  address: expect.stringMatching(/^10\./),
  request_id: expect.any(String),
};
const directory = (token_id: string) => ({
  ...{ ...person, actor_kind: 'scim_token', actor_id: token_id, credential_id: token_id },
});
const operator = { actor_kind: 'system', actor_id: null, address: null, request_id: null };

/** Returns the expected author of a row. */
function authorOf(
  { isOperator, scim_token, credential }: ExpectedRow,
  { account, session }: { account: string; session: string },
) {
  if (isOperator) return { ...operator, credential_id: null };
  if (scim_token !== undefined) return directory(scim_token);
  return {
    ...{ ...person, actor_id: account },
    credential_id: credential === undefined ? session : credential,
  };
}

const byScope = (a: Record<string, unknown>, b: Record<string, unknown>) =>
  `${String(a['scope_kind'])} ${String(a['scope_id'])}`.localeCompare(
    `${String(b['scope_kind'])} ${String(b['scope_id'])}`,
  );

const names = Object.keys(acts) as Action[];

test.each(names)(
  '%s writes one row per scope with actor, credential, address and target',
  async (name) => {
    const { ada, session, ask, expected } = await prepare(
      { world, gateway, provider, dns },
      acts[name]!,
    );
    const before = new Set((await rows()).map(({ id }) => id));

    const row = await expected(await ask());

    const account = row.account ?? ada.account_id;
    const added = (await rows()).filter(({ id }) => !before.has(id));
    const otherActions = added.map(({ action }) => action).filter((action) => action !== name);
    expect(otherActions).toEqual(row.otherActions ?? []);
    const ofAction = added.filter(({ action }) => action === name);
    const organizations = ofAction.filter(({ organization_id }) => organization_id !== null);
    const scopes = row.scopes ?? [{ kind: 'account', id: account }];
    // An organization's audit log lists each change once, however many scopes it has.
    const isListed = scopes.some(({ kind }) => kind !== 'account');
    expect(organizations).toHaveLength(isListed ? (row.changes ?? 1) : 0);
    expect(ofAction.toSorted(byScope)).toEqual(
      scopes
        .toSorted((a, b) => `${a.kind} ${a.id}`.localeCompare(`${b.kind} ${b.id}`))
        .map((scope) => ({
          id: expect.any(String),
          detail_bytes: expect.any(Number),
          at: expect.any(Date),
          action: name,
          outcome: row.outcome ?? 'done',
          ...authorOf(row, { account, session }),
          scope_kind: scope.kind,
          scope_id: scope.id,
          organization_id:
            scope.kind === 'account' ? null : expect.toBeOneOf([null, expect.any(String)]),
          units: row.target ?? [],
          detail: row.detail ?? null,
        })),
    );
  },
);

test.each(names)(
  '%s fails with a 503 and changes nothing if the audit log cannot be written (rel:1.1)',
  async (name) => {
    const { ask } = await prepare({ world, gateway, provider, dns }, acts[name]!);
    await world.query(`CREATE FUNCTION lose_audit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no room'; END $$`);
    await world.query(`CREATE TRIGGER lose BEFORE INSERT ON audit_event
      FOR EACH ROW EXECUTE FUNCTION lose_audit()`);
    onTestFinished(async () => {
      await world.query('DROP FUNCTION IF EXISTS lose_audit CASCADE');
    });
    const before = await readAll(world);

    const answer = (await ask()) as { status: number; body: { errors: object[] } };

    expect([answer.status, answer.body.errors]).toEqual([
      503,
      [expect.objectContaining({ code: 'service_unavailable' })],
    ]);
    expect(await readAll(world)).toEqual(before);
    await world.query('DROP FUNCTION lose_audit CASCADE');
    expect((await ask()).status).not.toBe(503);
  },
);
