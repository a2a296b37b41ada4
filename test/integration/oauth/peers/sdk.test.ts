import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import {
  auth,
  UnauthorizedError as UnauthorizedErrorV1,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { createRegisteredProvider } from '../../../support/clients/registered-provider.ts';
import type { RegisteredProvider } from '../../../support/clients/registered-provider.ts';
import { createRegisteredWorld } from './registered-world.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';

const world = await closeAfterTests(createRegisteredWorld());

/** A client of the official SDK that has not connected, and how it ends a sign-in. */
interface Sdk {
  client: Pick<Client | ClientV1, 'close'> & {
    callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  };
  connect(): Promise<void>;
  finish(returned: URL): Promise<void>;
  /** Thrown once the person has to sign in in the browser. */
  SignIn: typeof UnauthorizedError | typeof UnauthorizedErrorV1;
}

const sdks: Record<string, (provider: RegisteredProvider) => Sdk> = {
  'version 1': (authProvider) => {
    const client = new ClientV1({ name: 'test', version: '1' });
    const transport = () => new TransportV1(new URL(world.endpoint), { authProvider });
    return {
      client,
      connect: () => client.connect(transport()),
      finish: (returned) => transport().finishAuth(returned.searchParams.get('code')!),
      SignIn: UnauthorizedErrorV1,
    };
  },
  'version 2': (authProvider) => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(world.endpoint), { authProvider });
    return {
      client,
      connect: () => client.connect(transport()),
      finish: (returned) => transport().finishAuth(returned.searchParams),
      SignIn: UnauthorizedError,
    };
  },
};

const cases = Object.keys(sdks).flatMap((version) =>
  (['public', 'confidential'] as const).map((type) => ({ version, type })),
);

/** Signs in as a new client does: is refused, opens the browser, and returns from it. */
async function signIn(sdk: Sdk, { stored }: RegisteredProvider): Promise<void> {
  await expect(sdk.connect()).rejects.toBeInstanceOf(sdk.SignIn);
  await sdk.finish(await world.peer.allow(stored.browserUrl!, world.ada));
  delete stored.browserUrl;
}

test.each(cases)(
  'the SDK, $version, signs in as a registered $type client, and renews its expired token',
  async ({ version, type }) => {
    const provider = createRegisteredProvider(await world.register({ type }));
    const sdk = sdks[version]!(provider);
    onTestFinished(() => sdk.client.close());
    await signIn(sdk, provider);
    await sdk.connect();
    expect(await sdk.client.callTool(world.call)).toMatchObject(world.called);

    const { stored } = provider;
    const tokens = stored.tokens!;
    stored.tokens = { ...tokens, access_token: await world.expired(tokens.access_token) };
    expect(await sdk.client.callTool(world.call)).toMatchObject(world.called);
    expect(stored.browserUrl).toBeUndefined();
    expect(stored.tokens.refresh_token).not.toBe(tokens.refresh_token);
    expect(decodeJwt(stored.tokens.access_token)['cid']).toBe(
      decodeJwt(tokens.access_token)['cid'],
    );
  },
);

test.each(Object.keys(sdks))(
  'the SDK, %s, signs in again once its connection was revoked',
  async (version) => {
    const provider = createRegisteredProvider(await world.register());
    const sdk = sdks[version]!(provider);
    onTestFinished(() => sdk.client.close());
    await signIn(sdk, provider);
    await sdk.connect();
    await world.revoke(provider.stored.tokens!.access_token);

    await expect(sdk.client.callTool(world.call)).rejects.toBeInstanceOf(sdk.SignIn);
    const { stored } = provider;
    expect(stored.browserUrl!.pathname).toBe('/oauth/authorize');
    await sdk.finish(await world.peer.allow(stored.browserUrl!, world.ada));
    // Its session has ended with the connection.
    const again = sdks[version]!(provider);
    onTestFinished(() => again.client.close());
    await again.connect();
    expect(await again.client.callTool(world.call)).toMatchObject(world.called);
  },
);

test('auth() of version 1 redirects, exchanges the code, and refreshes', async () => {
  const provider = createRegisteredProvider(await world.register());
  const serverUrl = world.endpoint;
  expect(await auth(provider, { serverUrl })).toBe('REDIRECT');
  const returned = await world.peer.allow(provider.stored.browserUrl!, world.ada);
  const authorizationCode = returned.searchParams.get('code')!;
  expect(await auth(provider, { serverUrl, authorizationCode })).toBe('AUTHORIZED');
  const first = provider.stored.tokens!;

  expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED');
  expect(provider.stored.tokens!.refresh_token).not.toBe(first.refresh_token);
});
