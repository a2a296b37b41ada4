import { expect, test, vi } from 'vitest';
import { createAuthority } from '../../support/worlds/authority.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const deployment = await createDeployment();
const proxy = await closeAfterTests(createProxy(deployment.openfga.apiUrl));
const openfga = { ...deployment.openfga, apiUrl: proxy.url };
const proxied = await closeAfterTests(createAuthority({ ...deployment, openfga }));
const direct = await closeAfterTests(createAuthority(deployment));

async function whileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  proxy.down();
  try {
    return await work();
  } finally {
    proxy.pass();
  }
}

test('without OpenFGA, an unchanged cached decision is still served and correct (rel:F-O1)', async () => {
  const account = await direct.addAccount();
  const key = await direct.addKey(account);
  const caller = await proxied.caller(account, key);
  const before = await proxied.authz.context(caller);

  const during = await whileUnavailable(() => proxied.authz.context(caller));

  expect(during).toEqual(before);
  expect(during.connected).toBe(true);
});

test('without OpenFGA, an uncached decision fails as unavailable, never as a denial (rel:F-O1)', async () => {
  const account = await direct.addAccount();
  const key = await direct.addKey(account);
  const caller = await proxied.caller(account, key);

  const decision = whileUnavailable(() => proxied.authz.context(caller));

  await expect(decision).rejects.toMatchObject({ kind: 'unavailable' });
});

test('without OpenFGA, a revocation is committed and closes its scope, and is applied on recovery', async () => {
  const account = await direct.addAccount();
  const key = await direct.addKey(account);
  await proxied.authz.context(await proxied.caller(account, key));

  const refusal = await whileUnavailable(async () => {
    await proxied.removeKey(account, key);
    return proxied.authz
      .context(await proxied.caller(account, key))
      .catch((error: unknown) => error);
  });
  const after = await vi.waitFor(
    async () => proxied.authz.context(await proxied.caller(account, key)),
    { timeout: 5_000, interval: 100 },
  );

  expect(refusal).toMatchObject({ kind: 'unavailable' });
  expect(after.connected).toBe(false);
});
