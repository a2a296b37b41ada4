import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLinks } from '../../support/histories/nemesis.ts';
import type { Links } from '../../support/histories/nemesis.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { createKey, oneAddress, selectTools, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';

/** After a server is back, no request may fail later than this. */
const RECOVERED_MS = 5_000;
const FAULT_MS = 4_000;
const LOAD_AFTER_MS = 12_000;

interface Tenant extends SignedUp {
  secret: string;
  organization: string;
}
interface Failure {
  what: string;
  finishedAt: number;
  answer: string;
}

let world: World;
let links: Awaited<ReturnType<typeof createLinks>>[];
let urls: string[];
let tenants: Tenant[];

beforeAll(async () => {
  const plans = new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname;
  world = await createWorld({ PLANS_FILE: plans, ...oneAddress });
  links = [await createLinks(world.env), await createLinks(world.env)];
  urls = [];
  // A busy machine may exceed the default.
  for (const { env } of links)
    urls.push((await world.gateway({ env: { ...env, OPENFGA_DEADLINE_MS: '2000' } })).url);
  tenants = await Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const owner = await signUp(world, { url: urls[index % 2]! });
      await selectTools(owner, ['calculator']);
      const { secret } = await createKey(owner);
      const { id: organization } = await createOrganization(owner, `Acme ${randomUUID()}`);
      return { ...owner, secret, organization };
    }),
  );
});
afterAll(async () => {
  await world?.close();
  await Promise.all(links?.map(({ close }) => close()));
});

/** Sends a REST request as the tenant; throws unless it succeeds. */
async function send(url: string, tenant: Tenant, path: string, body?: object) {
  const response = await fetch(`${url}/api/${path}`, {
    method: body === undefined ? 'DELETE' : 'POST',
    headers: { ...tenant.bearer, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text === '' ? '{}' : text) as { id: string; secret: string };
}

async function sendMcp(url: string, secret: string, method: string, params = {}) {
  const { status, body } = await ask(`${url}/mcp`, { 'x-api-key': secret }, method, params);
  if (status !== 200 || body.error !== undefined)
    throw new Error(`${status} ${JSON.stringify(body)}`);
}

const call = { name: 'calculator', arguments: { expression: '6*7' } };

type Work = (url: string, other: string, tenant: Tenant) => Promise<unknown>;
const works: Readonly<Record<string, Work>> = {
  'a call': (url, _, { secret }) => sendMcp(url, secret, 'tools/call', call),
  async 'a key that is created, used and revoked'(url, other, tenant) {
    const key = { name: `key ${randomUUID()}`, mcp_capabilities: ['tools'] };
    const { id, secret } = await send(url, tenant, 'keys', key);
    await sendMcp(other, secret, 'tools/list');
    await send(url, tenant, `keys/${id}`);
  },
  async 'a role that is created and deleted'(url, other, tenant) {
    const roles = `organizations/${tenant.organization}/roles`;
    const role = { name: randomUUID(), permissions: ['can_view_organization'] };
    const { id } = await send(url, tenant, roles, role);
    await send(other, tenant, `${roles}/${id}`);
  },
};

/** Sends requests to both gateways until `isOver`; returns those that failed. */
async function load(isOver: () => boolean): Promise<Failure[]> {
  const failures: Failure[] = [];
  async function work(name: string, index: number) {
    for (let turn = index; !isOver(); turn += 1) {
      const [url, other] = turn % 2 === 0 ? urls : urls.toReversed();
      await works[name]!(url!, other!, tenants[index % tenants.length]!).catch((error: unknown) =>
        failures.push({ what: name, finishedAt: performance.now(), answer: String(error) }),
      );
      await pause(20);
    }
  }
  await Promise.all(
    Object.keys(works).flatMap((name) => tenants.map((_, index) => work(name, index))),
  );
  return failures;
}

const names = ['postgres', 'openfga', 'redis'] as const satisfies (keyof Links)[];
const ways = ['down', 'stall'] as const;
const faults = names.flatMap((name) => ways.map((way) => [name, way] as const));

test.for(faults)(
  'no request fails later than 5 seconds after %s, which was unavailable (%s), is back',
  async ([name, way]) => {
    let backAt = Number.POSITIVE_INFINITY;
    const loading = load(() => performance.now() > backAt + LOAD_AFTER_MS);
    await pause(1_000);
    for (const { links: own } of links) own[name][way]();
    await pause(FAULT_MS);
    for (const { links: own } of links) own[name].pass();
    backAt = performance.now();

    const late = (await loading).filter(({ finishedAt }) => finishedAt > backAt + RECOVERED_MS);

    expect(
      late.map(
        ({ what, finishedAt, answer }) =>
          `${Math.round(finishedAt - backAt)} ms ${what}: ${answer}`,
      ),
    ).toEqual([]);
  },
);
