import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from 'vitest';
import {
  askAs,
  at,
  createJoins,
  createOrganization,
  createRole,
} from '../../support/people/organizations.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';
import { argumentsOf, manyGateways, smallCatalog } from './agents-reach.ts';
import { raceRepeatedly } from './revocation-race.ts';
import { scaledTimeout } from './trials.ts';

// 8 kinds of revocation × 5 rounds × 2 gateways × 2 streams × 7 uses: 1,120 uses after revocation.
const USES_AFTER = 7;

let world: World;
let gateways: [Gateway, Gateway];
let owner: SignedUp;
let ada: SignedUp;
let joins: Joins;
beforeAll(async () => {
  world = await createWorld(manyGateways);
  const start = () => world.gateway({ overrides: { catalog: smallCatalog } });
  gateways = [await start(), await start()];
  owner = await signUp(world, gateways[0], 'owner');
  // Each round leaves an organization behind.
  await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [owner.account_id]);
  ada = await signUp(world, gateways[1], 'ada');
  joins = await createJoins(gateways[0]);
});
afterAll(async () => {
  await joins.close();
  await world.close();
});

const tool = toolNamed(smallCatalog, 'calculator');

async function requireSuccess<Body>(who: SignedUp, what: SendRequest): Promise<Body> {
  const { status, body } = await askAs<Body>(at(who, gateways[0]), what);
  if (status >= 300) throw new Error(`${what.path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

const remove = (who: SignedUp, path: string, body?: object) => () =>
  requireSuccess(who, { method: 'DELETE', path, ...(body === undefined ? {} : { body }) });
const patch = (who: SignedUp, path: string, body: object) => () =>
  requireSuccess(who, { method: 'PATCH', path, body });

/**
 * Creates an organization in which only the policy of a team admits the tool, with a member of the
 * team whose role has Tools, and a key of the member.
 */
async function createMemberKey({ isBound = false } = {}) {
  const { id } = await createOrganization(owner, 'Acme');
  const path = `/api/organizations/${id}`;
  await requireSuccess(owner, {
    method: 'PUT',
    path: `${path}/mcp-settings`,
    body: { tools: [tool.id] },
  });
  const role = await createRole(owner, id, { name: 'Caller', capabilities: ['tools'] });
  await joins.add(id, ada, [role.id]);
  const team = await createTeam(owner, id, 'red');
  const seats = seatsOf(id, team.id);
  await seats.add(owner, ada);
  const { id: key_id, secret } = await requireSuccess<{ id: string; secret: string }>(ada, {
    path: '/api/keys',
    body: {
      name: `key ${randomUUID()}`,
      org_scope: id,
      mcp_capabilities: ['tools'],
      ...(isBound ? { team_ids: [team.id] } : {}),
    },
  });
  return {
    id,
    path,
    role,
    team,
    seats,
    key: `/api/keys/${key_id}`,
    accepts: callsWith(secret),
  };
}
type MemberKey = Awaited<ReturnType<typeof createMemberKey>>;

/** Returns whether a call of the tool succeeds; a 503 counts as a refusal. */
const callsWith = (secret: string) => async (gateway: Gateway) => {
  const params = { name: 'calculator', arguments: argumentsOf('calculator') };
  const endpoint = `${gateway.url}/mcp`;
  const { status, body } = await ask(endpoint, { 'x-api-key': secret }, 'tools/call', params);
  return status === 200 && body.error === undefined && body.result.isError !== true;
};

const revocations: [what: string, revoke: (key: MemberKey) => () => Promise<unknown>][] = [
  [
    'the role lost Tools (C3)',
    ({ path, role }) => patch(owner, `${path}/roles/${role.id}`, { capabilities: [] }),
  ],
  ['the person left the team (P9)', ({ seats }) => remove(owner, seats.seat(ada))],
  [
    'the person left the organization (A6)',
    ({ path }) => remove(ada, `${path}/members/${ada.account_id}`),
  ],
  ['the key was bound to no team (P9)', ({ key }) => patch(ada, key, { team_ids: [] })],
  ['the team was deleted', ({ seats }) => remove(owner, seats.path, { confirm: 'red' })],
  ['the organization was deleted', ({ path }) => remove(owner, path, { confirm: 'Acme' })],
  ['the key was revoked (K)', ({ key }) => remove(ada, key)],
  [
    'the policy of the team excluded the tool (P9)',
    ({ seats }) =>
      () =>
        requireSuccess(owner, {
          method: 'PUT',
          path: `${seats.path}/policies/tool`,
          body: { mode: 'blacklist', tools: [tool.id] },
        }),
  ],
];

test.each(revocations)(
  'no call in an organization that begins after %s is accepted (P4)',
  async (_what, revoke) => {
    let turn = 0;
    await raceRepeatedly(
      gateways,
      async () => {
        const memberKey = await createMemberKey({ isBound: (turn += 1) % 2 === 0 });
        return { accepts: memberKey.accepts, revoke: revoke(memberKey) };
      },
      { after: USES_AFTER },
    );
  },
  scaledTimeout(60_000),
);
