import { randomUUID } from 'node:crypto';
import { createAuthenticator } from '../../support/people/authenticator.ts';
import type { Authenticator } from '../../support/people/authenticator.ts';
import { addPasskey, passkeyOptions, signInByPasskey } from '../../support/people/factors.ts';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { createKey, createPerson } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { profileOf } from '../../support/people/third-party.ts';
import { createVisitor, followProvider } from '../../support/people/visitor.ts';
import type { Visitor } from '../../support/people/visitor.ts';
import { initializeBody } from '../mcp/legacy/client.ts';

export type Organization = Awaited<ReturnType<SsoWorld['organization']>>;

const readAccess = {
  mcp_capabilities: ['tools'],
  grants: [{ scope: { type: 'personal' }, permissions: ['can_view_prompts'] }],
};
const PROMPTS = '/api/me/prompts';

/** Whether each way to act as a person works. */
export interface Working {
  session: boolean;
  key_over_rest: boolean;
  key_over_mcp: boolean;
  token_over_rest: boolean;
  token_over_mcp: boolean;
  refresh: boolean;
  passkey: boolean;
  third_party: boolean;
}

export const all = (works: boolean): Working => ({
  ...{ session: works, key_over_rest: works, key_over_mcp: works },
  ...{ token_over_rest: works, token_over_mcp: works, refresh: works },
  ...{ passkey: works, third_party: works },
});

/** A session in a browser, as the helpers for people with a password expect it. */
export async function sessionOf(visitor: Visitor, email: string): Promise<SignedUp> {
  const access_token = visitor.jar.get('session')!.value;
  return {
    ...{ person: visitor.person, email, password: '', access_token },
    account_id: (await profileOf(visitor)).body.id,
    cookies: new Map([['session', access_token]]),
    bearer: { authorization: `Bearer ${access_token}` },
  };
}

/** Creates keys and OAuth connections of a person, and tries them later. */
export function createCredentials({ world, gateway }: SsoWorld) {
  const oauth = createOAuthPeer(gateway);
  const worksWith = async (headers: Record<string, string>) =>
    (await createPerson(gateway.url).ask({ path: PROMPTS, headers })).status === 200;
  return {
    async key(who: SignedUp) {
      const { secret } = await createKey(who, readAccess);
      return { works: () => worksWith({ 'x-api-key': secret }) };
    },
    async connection(who: SignedUp) {
      const { account_id } = who;
      const scopes = ['mcp_tools', 'read:prompts'];
      const client = await insertClient(world, { owner: { account_id }, scopes });
      const code = await oauth.authorize(client, who);
      return {
        async works() {
          const { body } = await oauth.exchange(client, code);
          return worksWith({ authorization: `Bearer ${body['access_token']}` });
        },
      };
    },
  };
}

/** Adds every credential and sign-in method to an account, and tries each of them later. */
export function createTraces({ world, gateway, provider }: SsoWorld) {
  const oauth = createOAuthPeer(gateway);

  /** Links an account at the third-party provider, and returns who signs in there. */
  async function linkThirdParty({ account_id, cookies, password }: SignedUp) {
    const visitor = createVisitor(gateway.url);
    visitor.jar.set('session', { value: cookies.get('session')!, path: '/' });
    const answer = await visitor.person.ask<{ location: string }>({
      path: '/api/user/identities',
      body: { provider: 'oidc', current_password: password },
      headers: {
        cookie: `session=${cookies.get('session')!}`,
        origin: gateway.config.PUBLIC_URL,
      },
    });
    const flow = answer.cookies.get('flow')!.split(';')[0]!;
    visitor.jar.set('flow', { value: flow, path: '/api/auth' });
    const claims = { sub: randomUUID() };
    provider.person = claims;
    await visitor.go(await followProvider(answer.body.location));
    return { account_id, claims };
  }

  async function signsInAtThirdParty({
    account_id,
    claims,
  }: Awaited<ReturnType<typeof linkThirdParty>>): Promise<boolean> {
    const visitor = createVisitor(gateway.url);
    provider.person = claims;
    const { status, location } = await visitor.signIn('oidc');
    // An account with a second factor is asked for it.
    if (status === 302 && location.includes('second-factor')) return true;
    return (await profileOf(visitor)).body?.id === account_id;
  }

  async function read(path: string, headers: Record<string, string>): Promise<boolean> {
    const { status } = await createPerson(gateway.url).ask({ path, headers });
    if (status !== 200 && status !== 401) throw new Error(`${path}: ${status}`);
    return status === 200;
  }

  async function connect(headers: Record<string, string>): Promise<boolean> {
    const { status } = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(initializeBody()),
    });
    if (status !== 200 && status !== 401) throw new Error(`/mcp: ${status}`);
    return status === 200;
  }

  async function signsInByPasskey(authenticator: Authenticator): Promise<boolean> {
    const { token, options } = await passkeyOptions(gateway);
    const response = authenticator.get(options);
    return (await signInByPasskey(gateway, { token, response })).status === 200;
  }

  return async function leave(who: SignedUp) {
    const key = await createKey(who, readAccess);
    const { account_id } = who;
    const scopes = ['mcp_tools', 'read:prompts'];
    const client = await insertClient(world, { owner: { account_id }, scopes });
    const { body: tokens } = await oauth.exchange(client, await oauth.authorize(client, who));
    const authenticator = createAuthenticator(gateway.config.PUBLIC_URL);
    const identity = await linkThirdParty(who);
    await addPasskey(who, authenticator);
    return {
      async works(): Promise<Working> {
        const withKey = { 'x-api-key': key.secret };
        const withToken = { authorization: `Bearer ${tokens['access_token']}` };
        const refreshed = await oauth.refresh(client, tokens['refresh_token']!);
        if (refreshed.status === 200) tokens['refresh_token'] = refreshed.body['refresh_token']!;
        return {
          session: await read('/api/user/profile', who.bearer),
          key_over_rest: await read(PROMPTS, withKey),
          key_over_mcp: await connect(withKey),
          token_over_rest: await read(PROMPTS, withToken),
          token_over_mcp: await connect(withToken),
          refresh: refreshed.status === 200,
          passkey: await signsInByPasskey(authenticator),
          third_party: await signsInAtThirdParty(identity),
        };
      },
    };
  };
}

/**
 * Signs up a person who adds every credential, and has no password then; afterwards someone who controls
 * the identity provider of the organization signs in to the account, and does the same.
 */
export async function infiltrate(sso: SsoWorld, acme: Organization) {
  const leave = createTraces(sso);
  const pat = await acme.signUp('pat');
  const own = await leave(pat);
  await sso.world.query('UPDATE account SET password_hash = NULL WHERE id = $1', [pat.account_id]);
  const claims = acme.someone({ email: pat.email });
  const { visitor } = await acme.signIn(claims);
  const intruder = await sessionOf(visitor, pat.email);
  if (intruder.account_id !== pat.account_id) throw new Error('signed in to another account');
  return { pat, own, claims, intruder, added: await leave(intruder) };
}
