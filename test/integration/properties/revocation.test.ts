import { afterAll, beforeAll, test } from 'vitest';
import { goodPassword } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import { callAt, createActor, manyGateways, smallCatalog, toolIds } from './agents-reach.ts';
import type { Actor } from './agents-reach.ts';
import { raceRepeatedly } from './revocation-race.ts';
import { scaledTimeout } from './trials.ts';

let world: World;
let gateways: [Gateway, Gateway];
let ada: Actor;
beforeAll(async () => {
  world = await createWorld(manyGateways);
  const start = () => world.gateway({ overrides: { catalog: smallCatalog } });
  gateways = [await start(), await start()];
  ada = await createActor(world, gateways[0]);
  await ada.select(gateways[0], toolIds);
});
afterAll(() => world.close());

const callsWith = (secret: string) => async (gateway: Gateway) =>
  (await callAt(gateway, secret, 'calculator')) === 'runs';
const readsProfileWith = (headers: Record<string, string>) => async (gateway: Gateway) => {
  const { status } = await fetch(`${gateway.url}/api/user/profile`, { headers });
  if (status !== 200 && status !== 401) throw new Error(`profile: ${status}`);
  return status === 200;
};
const newKey = () =>
  ada.createKey(gateways[1], { mcp_capabilities: ['tools'], tool_policy: { mode: 'all' } });

test(
  'no call that begins after its key was revoked is accepted (K, P4)',
  async () => {
    await raceRepeatedly(gateways, async () => {
      const { id, secret } = await newKey();
      return { accepts: callsWith(secret), revoke: () => ada.revoke(gateways[0], id) };
    });
  },
  scaledTimeout(60_000),
);

test(
  'no call that begins after its key was restricted to other addresses is accepted (0063)',
  async () => {
    await raceRepeatedly(gateways, async () => {
      const { id, secret } = await newKey();
      return {
        accepts: callsWith(secret),
        revoke: () => ada.edit(gateways[0], id, { allowed_addresses: ['192.0.2.1'] }),
      };
    });
  },
  scaledTimeout(60_000),
);

test(
  'no call that begins after its key lost Tools is accepted (C1, P4)',
  async () => {
    await raceRepeatedly(gateways, async () => {
      const { id, secret } = await newKey();
      return {
        accepts: callsWith(secret),
        revoke: () => ada.edit(gateways[0], id, { mcp_capabilities: [] }),
      };
    });
  },
  scaledTimeout(60_000),
);

test(
  'no call that begins after the key’s policy excluded the tool is accepted (P4)',
  async () => {
    const excluded = toolNamed(smallCatalog, 'calculator').id;
    await raceRepeatedly(gateways, async () => {
      const { id, secret } = await newKey();
      return {
        accepts: callsWith(secret),
        revoke: () =>
          ada.edit(gateways[0], id, { tool_policy: { mode: 'blacklist', tools: [excluded] } }),
      };
    });
  },
  scaledTimeout(60_000),
);

test(
  'no call that begins after the tool was unselected is accepted (S8, P4)',
  async () => {
    await raceRepeatedly(gateways, async () => {
      await ada.select(gateways[1], toolIds);
      const { secret } = await newKey();
      return { accepts: callsWith(secret), revoke: () => ada.select(gateways[0], []) };
    });
    await ada.select(gateways[0], toolIds);
  },
  scaledTimeout(60_000),
);

test(
  'no request that begins after its session signed out is accepted (P4)',
  async () => {
    await raceRepeatedly(gateways, async () => {
      const { body } = await ada.person.ask<{ access_token: string }>({
        path: '/api/auth/login',
        body: { email: ada.email, password: goodPassword },
      });
      const headers = { authorization: `Bearer ${body.access_token}` };
      return {
        accepts: readsProfileWith(headers),
        revoke: () => fetch(`${gateways[0].url}/api/auth/logout`, { method: 'POST', headers }),
      };
    });
  },
  scaledTimeout(60_000),
);

test(
  'no request that begins after its account was deactivated is accepted (P4)',
  async () => {
    const setStatus = (status: string) =>
      world.query('UPDATE account SET status = $1 WHERE id = $2', [status, ada.account_id]);
    await raceRepeatedly(gateways, async () => {
      await setStatus('active');
      const { secret } = await newKey();
      const [key, session] = [callsWith(secret), readsProfileWith(ada.bearer)];
      const either = async (gateway: Gateway) => {
        const accepted = await Promise.all([key(gateway), session(gateway)]);
        return accepted.includes(true);
      };
      return { accepts: either, revoke: () => setStatus('deactivated') };
    });
    await setStatus('active');
  },
  scaledTimeout(60_000),
);
