import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { askAs } from '../../../support/people/organizations.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { decisionsOf } from '../../decision-log/reading.ts';
import { closed, open, useRestricted } from './restricted.ts';

const INSIDE = '192.0.2.7';
const OUTSIDE = '198.51.100.7';
const allowed_addresses = ['192.0.2.0/24'];
const OPEN = open();

const { world, joinWith, kinds, restrict, rest, owner, organization_id, support, gateway } =
  await useRestricted();

const inOrganization = [
  'a key in an organization',
  'an organization’s key',
  'a connection in an organization',
  'a machine connection',
] as const;

test.each(inOrganization)(
  'the refusal of %s is in the decision log of its organization, with the reason',
  async (kind) => {
    const one = await kinds[kind]();
    await restrict(one, { allowed_addresses, hours: OPEN });
    const reasonOf = async (address: string) => {
      const answer = await rest(one.secret, address);
      expect(answer.status).toBe(401);
      const found = await decisionsOf(owner, organization_id, answer.headers.get('x-request-id'));
      return found.map(({ subject, layer, reason }) => [subject.id, layer, reason]);
    };

    expect(await reasonOf(OUTSIDE)).toEqual([[one.id, 'credential', 'address_not_allowed']]);
    await restrict(one, { hours: closed() });
    expect(await reasonOf(INSIDE)).toEqual([[one.id, 'credential', 'outside_hours']]);
  },
);

interface Explained {
  steps: { rule: string; outcome: string; evidence: Record<string, unknown> }[];
}

test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  'an explanation of %s shows from where and when it works, for an address that is given',
  async (kind) => {
    const one = await kinds[kind]();
    await restrict(one, { allowed_addresses, hours: OPEN });
    const stepsOf = async (address: string | null) => {
      const query = `?tool=calculator${address === null ? '' : `&address=${address}`}`;
      const { body } = await askAs<Explained>(one.who, { path: one.explain + query });
      return body.steps
        .filter(({ rule }) => ['address_allowed', 'within_hours'].includes(rule))
        .map(({ rule, outcome }) => [rule, outcome]);
    };

    expect(await stepsOf(null)).toEqual([
      ['address_allowed', 'allow'],
      ['within_hours', 'allow'],
    ]);
    expect(await stepsOf(`::ffff:${INSIDE}`)).toEqual(await stepsOf(INSIDE));
    await restrict(one, { hours: closed() });
    expect(await stepsOf(OUTSIDE)).toEqual([
      ['address_allowed', 'deny'],
      ['within_hours', 'deny'],
    ]);
  },
);

test('the explorer explains why a credential is refused, and what its client meets', async () => {
  const one = await kinds['an organization’s key']();
  await restrict(one, { allowed_addresses, hours: closed() });
  const { body } = await askAs<{
    allowed: boolean;
    steps: { rule: string; reason: string | null; code: string | null }[];
  }>(owner, {
    path: `/api/organizations/${organization_id}/access/explain`,
    body: {
      subject: { kind: 'organization_key', id: one.id },
      item: { family: 'tools', id: randomUUID() },
      address: OUTSIDE,
    },
  });

  expect(body.allowed).toBe(false);
  const failed = body.steps.filter(({ reason }) => reason !== null);
  expect(failed.map(({ rule, reason, code }) => [rule, reason, code])).toEqual(
    expect.arrayContaining([
      ['address_allowed', 'address_not_allowed', 'invalid_credential'],
      ['within_hours', 'outside_hours', 'invalid_credential'],
    ]),
  );
});

test('records show what was sent in canonical form, and the audit log has it before and after', async () => {
  for (const create of Object.values(kinds)) {
    const one = await create();
    const sent = { allowed_addresses: ['192.0.2.9/24', '::ffff:192.0.2.1/120'], hours: OPEN };
    expect(await restrict(one, sent)).toMatchObject({ allowed_addresses, hours: OPEN });
    const { body } = await askAs<{ data: { target: { id: string }[]; detail: object }[] }>(owner, {
      path: '/api/me/audit?limit=1',
    });
    const organization = await askAs<typeof body>(owner, {
      path: `/api/organizations/${organization_id}/audit?limit=1`,
    });
    const entry = [...body.data, ...organization.body.data].find(({ target }) =>
      target.some(({ id }) => id === one.id),
    );
    expect(entry?.detail).toMatchObject({
      before: { allowed_addresses: null, hours: null },
      after: { allowed_addresses, hours: OPEN },
    });
  }
});

test.each([
  [{ allowed_addresses: [] }, '/allowed_addresses'],
  [{ allowed_addresses: ['office'] }, '/allowed_addresses/0'],
  [{ allowed_addresses: ['192.0.2.0/33'] }, '/allowed_addresses/0'],
  [{ hours: { zone: 'Mars/Olympus', windows: OPEN.windows } }, '/hours/zone'],
  [{ hours: { ...OPEN, windows: [] } }, '/hours/windows'],
])('%j is malformed, and changes nothing', async (sent, pointer) => {
  for (const create of Object.values(kinds)) {
    const one = await create();
    const { status, body } = await askAs<{ errors: { detail: { pointer: string } }[] }>(one.who, {
      ...{ method: 'PATCH', path: one.path, body: sent },
    });
    expect([status, body.errors[0]!.detail.pointer]).toEqual([400, pointer]);
    expect((await rest(one.secret, OUTSIDE)).status).not.toBe(401);
  }
});

test('a key is restricted from its creation on, and a preview says so', async () => {
  const draft = { name: 'restricted', mcp_capabilities: ['tools'], allowed_addresses };
  const preview = await askAs<{ warnings: { code: string; detail: object }[] }>(owner, {
    path: '/api/keys/preview',
    body: draft,
  });
  const { body } = await askAs<{ id: string; secret: string }>(owner, {
    path: '/api/keys',
    body: draft,
  });

  expect(preview.body.warnings.map(({ code, detail }) => [code, detail])).toEqual([
    ['address_not_allowed', { pointer: '/allowed_addresses' }],
  ]);
  expect((await rest(body.secret, OUTSIDE)).status).toBe(401);
  expect((await rest(body.secret, INSIDE)).status).not.toBe(401);
});

test('an address that a client claims for itself has no effect', async () => {
  const one = await kinds['a person’s key']();
  await restrict(one, { allowed_addresses });
  const strict = await world.gateway({ env: { TRUSTED_PROXIES: '' } });
  const claimed = (url: string, forwarded: string) =>
    fetch(`${url}/api/organizations/${organization_id}/members`, {
      headers: { 'x-api-key': one.secret, 'x-forwarded-for': forwarded },
    });

  // No proxy is trusted: the address is that of the connection.
  expect((await claimed(strict.url, INSIDE)).status).toBe(401);
  // Behind a trusted proxy, the last entry counts: a client can only write those before it.
  expect((await claimed(gateway.url, `${INSIDE}, ${OUTSIDE}`)).status).toBe(401);
  expect((await claimed(gateway.url, `${OUTSIDE}, ${INSIDE}`)).status).not.toBe(401);
});

test('a client that is disabled and enabled again is still restricted', async () => {
  const client = await support.client({
    ...{ owner: { organization_id }, scopes: ['mcp_tools'] },
    grant_types: ['client_credentials'],
  });
  const id = await support.machine(client);
  const path = `/api/organizations/${organization_id}/connections/${id}`;
  await restrict({ id, path, who: owner, secret: '', explain: '' }, { allowed_addresses });
  await support.changeMachine(organization_id, client, { ...client, disabled_at: 'now' });
  await support.changeMachine(organization_id, { ...client, disabled_at: 'now' }, client);
  const { id: later } = (await support.connections.machineOf(client.id))!;
  const secret = await support.token(later);

  expect(later).not.toBe(id);
  expect((await rest(secret, OUTSIDE)).status).toBe(401);
  expect((await rest(secret, INSIDE)).status).not.toBe(401);
});

test.each(['an organization’s key', 'a machine connection'] as const)(
  'only someone who holds what %s may do lets it work elsewhere',
  async (kind) => {
    const one = await kinds[kind]();
    await restrict(one, { allowed_addresses: ['192.0.2.0/24', '198.51.100.0/24'] });
    const clerk = await joinWith([
      'can_update_organization_api_keys',
      'can_update_organization_oauth_clients',
    ]);
    const change = (who: SignedUp, body: object) =>
      askAs<{ errors?: { code: string; detail: { pointer: string } }[] }>(who, {
        ...{ method: 'PATCH', path: one.path, body },
      });
    for (const body of [{ allowed_addresses: null }, { allowed_addresses: ['203.0.113.0/24'] }]) {
      const { status, body: refused } = await change(clerk, body);
      expect([status, refused.errors?.[0]?.detail.pointer]).toEqual([422, '/allowed_addresses']);
    }
    expect((await change(clerk, { allowed_addresses })).status).toBe(200);
    expect((await change(clerk, { hours: OPEN })).status).toBe(200);
    expect((await change(clerk, { hours: null })).status).toBe(422);
    expect((await change(owner, { hours: null, allowed_addresses: null })).status).toBe(200);
  },
);
