import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createInterruptions } from '../../../src/authz/engine/interruptions.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { createAuthority, driftOf } from '../../support/worlds/authority.ts';
import type { Authority, AuthorityOptions } from '../../support/worlds/authority.ts';
import { createRestorableDeployment } from '../../support/servers/restorable-openfga.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

let gateways: [Authority, Authority];

/** A gateway that notices no lost connection, and waits for a busy machine. */
const oblivious: AuthorityOptions = {
  deadlineMs: 10_000,
  wrap: (engine) => ({ ...engine, interruptions: createInterruptions() }),
};

const deployment = await closeAfterTests(createRestorableDeployment());
beforeEach(async () => {
  gateways = [
    await createAuthority(deployment, oblivious),
    await createAuthority(deployment, oblivious),
  ];
});
afterEach(async () => void (await Promise.all(gateways.map(({ close }) => close()))));

const unavailable = { kind: 'unavailable' };
const decide = async (gateway: Authority, account: string, key: string) =>
  gateway.authz.context(await gateway.caller(account, key));

/** Creates a key and revokes it after the backup: the restored store still allows it. */
async function revokeAfterBackup() {
  const [gateway] = gateways;
  const account = await gateway.addAccount();
  const key = await gateway.addKey(account);
  await deployment.backUp();
  // The backup cut OpenFGA's connections.
  for (const { authz } of gateways) await authz.requireStore();
  await gateway.removeKey(account, key);
  expect((await decide(gateway, account, key)).connected).toBe(false);
  return { account, key };
}

/** Makes changes of other accounts by both gateways; returns how many reached OpenFGA. */
async function changeOthers(count: number): Promise<number> {
  const scopes: { kind: 'account'; id: string }[] = [];
  const change = async (gateway: Authority, changes: number) => {
    for (let made = 0; made < changes; made += 1)
      scopes.push({ kind: 'account', id: await gateway.addAccount() });
  };
  const workers = gateways.flatMap((gateway) => [gateway, gateway, gateway, gateway]);
  await Promise.all(workers.map((gateway) => change(gateway, Math.ceil(count / workers.length))));
  const states = await readScopes(gateways[0].database.pool, scopes);
  return states.filter(({ applied, revision }) => applied === revision).length;
}

async function refuseUntilRepaired(account: string, key: string): Promise<void> {
  for (const gateway of gateways) {
    await expect(gateway.authz.requireStore()).rejects.toMatchObject(unavailable);
    await expect(decide(gateway, account, key)).rejects.toMatchObject(unavailable);
  }
  const started = await createAuthority(deployment);
  onTestFinished(started.close);
  await expect(decide(started, account, key)).rejects.toMatchObject(unavailable);

  await driftOf(started, { repair: true });
  for (const gateway of [...gateways, started]) {
    await gateway.authz.requireStore();
    expect((await decide(gateway, account, key)).connected).toBe(false);
  }
}

test.for([5, 500])(
  'a store restored unnoticed refuses every decision at the next comparison, after %i more changes (0006)',
  { timeout: 300_000 },
  async (changes) => {
    const { account, key } = await revokeAfterBackup();
    await deployment.restore();

    expect(await changeOthers(changes)).toBeGreaterThanOrEqual(changes);

    await refuseUntilRepaired(account, key);
  },
);

test('a store restored to a time long before the last comparison refuses every decision (0006)', async () => {
  const { account, key } = await revokeAfterBackup();
  // Longer than a change counts as recent.
  await pause(3_500);
  for (const { authz } of gateways) await authz.requireStore();
  await deployment.restore();
  await changeOthers(20);

  await refuseUntilRepaired(account, key);
});

test('a store is compared every few seconds without a request or a lost connection (0006)', async () => {
  for (const { authz } of gateways) authz.start();
  onTestFinished(async () => void (await Promise.all(gateways.map(({ authz }) => authz.stop()))));
  await revokeAfterBackup();
  await deployment.restore();

  for (const { authz } of gateways)
    await expect.poll(() => isRefused(authz.generation), { timeout: 15_000 }).toBe(true);
  await driftOf(gateways[0], { repair: true });
});

function isRefused(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch {
    return true;
  }
}

test('a gateway that lost OpenFGA compares the store before it applies or decides anything (0006)', async () => {
  const applying = await createAuthority(deployment);
  const deciding = await createAuthority(deployment);
  const attentive = [applying, deciding];
  onTestFinished(async () => void (await Promise.all(attentive.map(({ close }) => close()))));
  const { account, key } = await revokeAfterBackup();
  for (const { authz } of attentive) await authz.requireStore();
  const before = attentive.map(({ engine }) => engine.interruptions.count());
  const restored = deployment.restore();
  for (const [index, { engine }] of attentive.entries())
    while (engine.interruptions.count() === before[index])
      await engine.read('account:nobody').catch(() => {});
  await restored;

  const changed = await applying.addAccount();
  for (const gateway of attentive)
    await expect(decide(gateway, account, key)).rejects.toMatchObject(unavailable);

  expect(await applying.engine.read(`account:${changed}`)).toEqual([]);
  await refuseUntilRepaired(account, key);
  expect(await applying.engine.read(`account:${changed}`)).toHaveLength(1);
});

test('comparisons run one at a time, each after it was asked for (0006)', async () => {
  let running = 0;
  let most = 0;
  const wrap: AuthorityOptions['wrap'] = (engine) => ({
    ...engine,
    comparison: {
      ...engine.comparison,
      async read(object) {
        most = Math.max(most, (running += 1));
        await pause(50);
        running -= 1;
        return engine.comparison.read(object);
      },
    },
  });
  const slow = await createAuthority(deployment, { wrap });
  onTestFinished(slow.close);
  const before = slow.authz.generation();

  await Promise.all(Array.from({ length: 10 }, () => slow.authz.requireStore()));

  expect(most).toBe(1);
  expect(slow.authz.generation()).toBe(before);
});
