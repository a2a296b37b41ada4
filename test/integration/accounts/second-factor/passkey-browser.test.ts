import { expect, test } from 'vitest';
import { describeInBrowser, openTab } from '../../../support/people/browser.ts';
import { addAuthenticator, makePasskey, post } from '../../../support/people/browser-passkeys.ts';
import { signUp } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();

describeInBrowser('in a real browser', (browser) => {
  test("the browser's own authenticator creates a passkey, which alone signs in", async () => {
    const ada = await signUp(world, gateway);
    const tab = await openTab(browser());
    const { page, context } = tab;
    await addAuthenticator(tab);
    await page.goto(`${gateway.config.PUBLIC_URL}/verify`);

    const made = await page.evaluate(makePasskey(ada.access_token, ada.password));
    const signedIn = await page.evaluate(signInWithPasskey);

    expect(made).toMatchObject({ status: 201, body: { passkey: { name: 'Phone' } } });
    expect(signedIn).toMatchObject({ status: 200, body: { user: { id: ada.account_id } } });
    const names = (await context.cookies()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['refresh', 'session']);
  });
});

// A string, since it runs in the page.
const signInWithPasskey = `(async () => {
  const post = ${post};
  const { token, options } = (await post('/api/auth/passkey/options', {})).body;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  return post('/api/auth/passkey', { token, response: credential.toJSON() });
})()`;
