import { afterAll, beforeAll, expect, test } from 'vitest';
import { signUp } from '../../support/people/people.ts';
import { createSsoWorld } from '../../support/people/sso.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { cookieOf, profileOf } from '../../support/people/third-party.ts';
import { createVisitor, followProvider } from '../../support/people/visitor.ts';

let sso: SsoWorld;
beforeAll(async () => {
  sso = await createSsoWorld();
});
afterAll(() => sso?.close());

test('a page of another site cannot replace the session of a person by one of an account that it chose, through an identity provider of its own (rel:B6-1)', async () => {
  const evil = await sso.organization();
  const chosen = evil.someone({ given_name: 'Mallory' });
  const ada = await signUp(sso.world, sso.gateway, 'ada');
  // Ada’s browser, which a link or a script of https://evil.example sends to the start.
  const browser = createVisitor(sso.gateway.url, {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    referer: 'https://evil.example/',
  });
  for (const [name, value] of ada.cookies) browser.jar.set(name, { value, path: '/' });
  expect((await profileOf(browser)).body.id).toBe(ada.account_id);

  const start = await browser.go(evil.start);
  if (start.location.startsWith(sso.provider.issuer)) {
    // Mallory’s provider asks nobody, and answers at once with the account that Mallory chose.
    sso.provider.person = chosen;
    await browser.go(await followProvider(start.location));
  }

  const { body } = await browser.person.ask<{ id: string; email: string }>({
    path: '/api/user/profile',
    headers: cookieOf(browser),
  });
  expect(body.email).not.toBe(chosen.email);
  expect(body.id).toBe(ada.account_id);
});
