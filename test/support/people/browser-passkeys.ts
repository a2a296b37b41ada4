import type { Tab } from './browser.ts';

/** Adds a virtual authenticator to the browser; after `verify(false)`, user verification fails. */
export async function addAuthenticator({ context, page }: Tab) {
  const devTools = await context.newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    verify: (isUserVerified: boolean) =>
      devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

// A string, since it runs in the page: these tests are compiled without DOM types.
export const post = `async (path, body, headers = {}) => {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}`;

/** Returns a script for a page of the service that adds a passkey to the account. */
export const makePasskey = (token: string, current_password: string) => `(async () => {
  const post = ${post};
  const headers = { authorization: 'Bearer ${token}' };
  const begun = await post('/api/user/passkeys/options', ${JSON.stringify({ current_password })}, headers);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(begun.body.options);
  const credential = await navigator.credentials.create({ publicKey });
  return post('/api/user/passkeys', { name: 'Phone', response: credential.toJSON() }, headers);
})()`;
