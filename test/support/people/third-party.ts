import { expect } from 'vitest';
import type { ServiceOverrides } from '../../../src/service.ts';
import { createOpenIdServer } from './openid-server.ts';
import type { OpenIdServer } from './openid-server.ts';
import { newEmail, ownAddresses } from './people.ts';
import { createVisitor } from './visitor.ts';
import type { Step, Visitor } from './visitor.ts';
import { createWorld } from '../worlds/world.ts';
import type { Gateway, World } from '../worlds/world.ts';

/** A gateway where people can sign in with the test's own OpenID provider. */
export interface ThirdParty {
  provider: OpenIdServer;
  world: World;
  gateway: Gateway;
  visitor(headers?: Record<string, string>): Visitor;
  /** Signs in at the provider as the given person, and follows its redirect back. */
  signInAs(
    person: Record<string, unknown>,
    visitor?: Visitor,
  ): Promise<{ visitor: Visitor; step: Step }>;
  home: string;
  refusedPage(reason: string): string;
  /** Expects a redirect to the refusal page, no session, and no new identity in the database. */
  expectRefused(step: Step, reason: string): Promise<void>;
  close(): Promise<void>;
}

export async function createThirdParty(
  overrides: ServiceOverrides = {},
  env: Record<string, string> = {},
): Promise<ThirdParty> {
  const provider = await createOpenIdServer();
  const world = await createWorld({ ...ownAddresses, ...provider.env, ...env });
  const gateway = await world.gateway({ overrides });
  const refusedPage = (reason: string) =>
    `${gateway.config.PUBLIC_URL}/sign-in/refused#reason=${reason}`;
  return {
    provider,
    world,
    gateway,
    visitor: (headers) => createVisitor(gateway.url, headers),
    async signInAs(person, visitor = createVisitor(gateway.url)) {
      provider.person = person;
      return { visitor, step: await visitor.signIn('oidc') };
    },
    home: `${gateway.config.DASHBOARD_URL}/`,
    refusedPage,
    async expectRefused(step, reason) {
      expect([step.status, step.location, step.body]).toEqual([302, refusedPage(reason), '']);
      expect(step.setCookie.filter(isSessionCookie)).toEqual([]);
      const rows = await world.query('SELECT id FROM account_identity WHERE subject = $1', [
        provider.person.sub,
      ]);
      expect(rows).toEqual([]);
    },
    async close() {
      await world.close();
      await provider.close();
    },
  };
}

export const isSessionCookie = (line: string): boolean =>
  /^(?:__Host-session|session|__Secure-refresh|refresh)=/.test(line);

/** Claims of a person whose e-mail address the provider has verified. */
export const someone = (change: Record<string, unknown> = {}) => ({
  sub: crypto.randomUUID(),
  email: newEmail(),
  email_verified: true,
  given_name: 'Ada',
  family_name: 'Lovelace',
  ...change,
});

/** Response of `GET user/profile`. */
export interface Profile {
  id: string;
  email: string | null;
  email_needed: boolean;
  first_name: string | null;
  last_name: string | null;
  locale: string;
  verified: boolean;
}

export const cookieOf = ({ jar }: Visitor) => ({ cookie: `session=${jar.get('session')?.value}` });

export const profileOf = (visitor: Visitor) =>
  visitor.person.ask<Profile>({ path: '/api/user/profile', headers: cookieOf(visitor) });
