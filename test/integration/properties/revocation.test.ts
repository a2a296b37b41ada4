import { afterAll, beforeAll, expect, test } from 'vitest';
import { goodPassword } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import { callAt, createActor, manyGateways, smallCatalog, toolIds } from './agents-reach.ts';
import type { Actor } from './agents-reach.ts';
import { timeFor, trials } from './trials.ts';

const STREAMS = 2;
const AFTER = 3;

interface Attempt {
  began: number;
  accepted: boolean;
}

/**
 * Sends calls at every gateway while access is revoked. Attempts that begin after the revocation
 * has responded must all be refused (P4); earlier ones may be accepted or refused.
 */
async function race(
  gateways: readonly Gateway[],
  accepts: (at: Gateway) => Promise<boolean>,
  revoke: () => Promise<unknown>,
): Promise<{ before: Attempt[]; after: Attempt[] }> {
  const attempts: Attempt[] = [];
  let answered = Infinity;
  const stream = async (at: Gateway) => {
    for (let late = 0; late < AFTER;) {
      const began = performance.now();
      const isLate = began > answered;
      attempts.push({ began, accepted: await accepts(at) });
      if (isLate) late += 1;
    }
  };
  for (const gateway of gateways) expect(await accepts(gateway), 'it worked before').toBe(true);
  const running = Promise.all(
    gateways.flatMap((gateway) => Array.from({ length: STREAMS }, () => stream(gateway))),
  );
  try {
    await revoke();
  } finally {
    answered = performance.now();
    await running;
  }
  const after = attempts.filter(({ began }) => began > answered);
  return { before: attempts.filter(({ began }) => began <= answered), after };
}

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

const calls = (secret: string) => async (at: Gateway) =>
  (await callAt(at, secret, 'calculator')) === 'runs';
const asks = (headers: Record<string, string>) => async (at: Gateway) => {
  const { status } = await fetch(`${at.url}/api/user/profile`, { headers });
  if (status !== 200 && status !== 401) throw new Error(`profile: ${status}`);
  return status === 200;
};
const newKey = () =>
  ada.createKey(gateways[1], { mcp_capabilities: ['tools'], tool_policy: { mode: 'all' } });

/** Runs the race repeatedly; afterwards no gateway may accept anything. */
async function rounds(round: () => Promise<Awaited<ReturnType<typeof race>>>) {
  for (let left = trials(5); left > 0; left -= 1) {
    const { after } = await round();
    expect(after.length).toBeGreaterThanOrEqual(gateways.length * STREAMS * AFTER);
    expect(after.filter(({ accepted }) => accepted)).toEqual([]);
  }
}

test(
  'no call that begins after its key was revoked is accepted (K, P4)',
  async () => {
    await rounds(async () => {
      const { id, secret } = await newKey();
      return race(gateways, calls(secret), () => ada.revoke(gateways[0], id));
    });
  },
  timeFor(60_000),
);

test(
  'no call that begins after its key lost Tools is accepted (C1, P4)',
  async () => {
    await rounds(async () => {
      const { id, secret } = await newKey();
      return race(gateways, calls(secret), () =>
        ada.edit(gateways[0], id, { mcp_capabilities: [] }),
      );
    });
  },
  timeFor(60_000),
);

test(
  'no call that begins after the key’s policy excluded the tool is accepted (P4)',
  async () => {
    const excluded = toolNamed(smallCatalog, 'calculator').id;
    await rounds(async () => {
      const { id, secret } = await newKey();
      return race(gateways, calls(secret), () =>
        ada.edit(gateways[0], id, { tool_policy: { mode: 'blacklist', tools: [excluded] } }),
      );
    });
  },
  timeFor(60_000),
);

test(
  'no call that begins after the tool was unselected is accepted (S8, P4)',
  async () => {
    await rounds(async () => {
      await ada.select(gateways[1], toolIds);
      const { secret } = await newKey();
      return race(gateways, calls(secret), () => ada.select(gateways[0], []));
    });
    await ada.select(gateways[0], toolIds);
  },
  timeFor(60_000),
);

test(
  'no request that begins after its session signed out is accepted (P4)',
  async () => {
    await rounds(async () => {
      const { body } = await ada.person.ask<{ access_token: string }>({
        path: '/api/auth/login',
        body: { email: ada.email, password: goodPassword },
      });
      const headers = { authorization: `Bearer ${body.access_token}` };
      return race(gateways, asks(headers), () =>
        fetch(`${gateways[0].url}/api/auth/logout`, { method: 'POST', headers }),
      );
    });
  },
  timeFor(60_000),
);

test(
  'no request that begins after its account was deactivated is accepted (P4)',
  async () => {
    const setStatus = (status: string) =>
      world.query('UPDATE account SET status = $1 WHERE id = $2', [status, ada.account_id]);
    await rounds(async () => {
      await setStatus('active');
      const { secret } = await newKey();
      const [key, session] = [calls(secret), asks(ada.bearer)];
      const both = async (at: Gateway) => {
        const accepted = await Promise.all([key(at), session(at)]);
        return accepted.includes(true);
      };
      return race(gateways, both, () => setStatus('deactivated'));
    });
    await setStatus('active');
  },
  timeFor(60_000),
);
