import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSsoWorld } from '../../support/people/sso.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { createVisitor, followProvider } from '../../support/people/visitor.ts';

let sso: SsoWorld;
beforeAll(async () => {
  sso = await createSsoWorld();
});
afterAll(() => sso?.close());

test('a person whose connection has an unreadable secret is shown a page, at the start as at the end', async () => {
  const acme = await sso.organization();
  const visitor = createVisitor(sso.gateway.url);
  sso.provider.person = acme.someone();
  const back = await followProvider((await visitor.go(acme.start)).location);
  await sso.world.query("UPDATE sso_connection SET secret = 'damaged' WHERE id = $1", [
    acme.connection.id,
  ]);

  for (const path of [acme.start, back]) {
    const step = await visitor.go(path);
    expect([step.status, step.location]).toEqual([302, sso.refused('failed')]);
  }
});
