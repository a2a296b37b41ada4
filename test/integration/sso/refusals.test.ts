import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createSsoWorld } from '../../support/people/sso.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { createVisitor, followProvider } from '../../support/people/visitor.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const sso = await closeAfterTests(createSsoWorld());

const unavailable = (response: ServerResponse) => {
  response.writeHead(503).end();
};

/** Returns the details of the sign-ins that the organization's audit log has as refused. */
async function refusedIn({ id, owner }: Awaited<ReturnType<SsoWorld['organization']>>) {
  const { data } = await sso.require<{ data: { action: string; detail: unknown }[] }>(owner, {
    path: `/api/organizations/${id}/audit`,
  });
  return data.filter(({ action }) => action === 'session.refuse').map(({ detail }) => detail);
}

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

test('administrators see in the audit log that the provider was unavailable when a person came back', async () => {
  const acme = await sso.organization();
  const refused = sso.refused('provider_unavailable');
  onTestFinished(() => {
    sso.provider.deviations = {};
  });
  sso.provider.deviations = { answers: { '/token': unavailable } };

  expect((await acme.signIn(acme.someone())).step.location).toBe(refused);
  expect(await refusedIn(acme)).toEqual([{ provider: 'sso', reason: 'provider_unavailable' }]);

  // Anyone can begin a sign-in, so that alone is not recorded.
  const discovery = '/.well-known/openid-configuration';
  sso.provider.deviations = {
    answers: { [discovery]: unavailable },
  };
  expect((await acme.signIn(acme.someone())).step.location).toBe(refused);
  expect(await refusedIn(acme)).toHaveLength(1);
});
