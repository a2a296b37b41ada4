import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { initializeBody, request, send } from '../../mcp/legacy/client.ts';
import { closed, open, useRestricted } from './restricted.ts';

const INSIDE = '192.0.2.7';
const OUTSIDE = '198.51.100.7';
const OFFICE = ['192.0.2.0/24', '2001:db8::/32'];

const { gateway, kinds, restrict, rest, support } = await useRestricted();
const endpoint = `${gateway.url}/mcp`;

const META = 'io.modelcontextprotocol/';
const envelope = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };

/** The ways in which a credential is sent. */
const ways = {
  REST: rest,
  'MCP of 2025': (secret: string, address: string) =>
    send(endpoint, secret, {
      body: initializeBody(),
      headers: { 'x-forwarded-for': address },
    }),
  'MCP of 2026': (secret: string, address: string) =>
    send(endpoint, secret, {
      version: '2026-07-28',
      headers: { 'mcp-method': 'tools/list', 'x-forwarded-for': address },
      body: request('tools/list', { _meta: envelope }),
    }),
};
type Way = (typeof ways)[keyof typeof ways];

/** Returns everything that a client receives, except what differs between any two responses. */
async function received(answer: Response) {
  const headers = Object.fromEntries(answer.headers);
  for (const name of ['date', 'x-request-id']) delete headers[name];
  return { status: answer.status, headers, body: await answer.text() };
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

/** Returns a credential of the same form that was never valid. */
async function invalidLike(secret: string): Promise<string> {
  if (secret.startsWith('sk_')) return `sk_${randomUUID()}`;
  const { id } = await kinds['a connection of a person']();
  const token = await support.token(id);
  await support.revoke(id);
  return token;
}

const cases = Object.entries(kinds).flatMap(([kind, create]) =>
  Object.entries(ways).map(([name, way]) => [kind, name, { create, way }] as const),
);

test.each(cases)(
  '%s over %s gets the 401 of an invalid credential from an address that is not allowed, and outside its hours',
  async (_kind, _way, { create, way }: { create: (typeof cases)[0][2]['create']; way: Way }) => {
    const one = await create();
    const invalid = await invalidLike(one.secret);
    expect(await statusOf(way(one.secret, OUTSIDE))).not.toBe(401);

    await restrict(one, { allowed_addresses: OFFICE, hours: open() });
    expect(await statusOf(way(one.secret, INSIDE))).not.toBe(401);
    expect(await statusOf(way(one.secret, '2001:db8::7'))).not.toBe(401);
    const bad = await received(await way(invalid, INSIDE));
    expect(bad.status).toBe(401);
    expect(await received(await way(one.secret, OUTSIDE))).toEqual(bad);
    expect(await received(await way(one.secret, '2001:db9::7'))).toEqual(bad);
    await restrict(one, { hours: closed() });
    expect(await received(await way(one.secret, INSIDE))).toEqual(bad);

    await restrict(one, { hours: null });
    expect(await statusOf(way(one.secret, INSIDE))).not.toBe(401);
    await restrict(one, { allowed_addresses: null });
    expect(await statusOf(way(one.secret, OUTSIDE))).not.toBe(401);
  },
);
