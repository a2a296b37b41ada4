import { createAuthenticator } from '../../support/people/authenticator.ts';
import { addPasskey, passkeyOptions, signInByPasskey } from '../../support/people/factors.ts';
import { askPresent } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import type { SsoWorld } from '../../support/people/sso.ts';
import { sessionOf } from './ended-access.ts';
import type { Organization } from './ended-access.ts';

export type Impersonated = Awaited<ReturnType<ReturnType<typeof createImpersonation>['sign']>>;

/** Signs in to accounts as someone who controls an identity provider does, and leaves traces. */
export function createImpersonation(sso: SsoWorld) {
  const setRoles = (acme: Organization, who: SignedUp, account_id: string, role_ids: string[]) =>
    askPresent(who, {
      ...{ method: 'PATCH', path: `/api/organizations/${acme.id}/members/${account_id}` },
      body: { role_ids },
    });

  return {
    /** Signs in as a new person through a connection that `configurer` configured. */
    async sign(acme: Organization, configurer: SignedUp) {
      const connection = await acme.connect(configurer);
      const claims = acme.someone();
      const { visitor } = await connection.signIn(claims);
      return { connection, claims, account: await sessionOf(visitor, claims.email) };
    },
    /** Adds a passkey to an account, and returns whether it signs in later. */
    async leavePasskey({ person, bearer, password }: SignedUp) {
      const authenticator = createAuthenticator(sso.gateway.config.PUBLIC_URL);
      await addPasskey({ person, bearer, ...(password && { password }) }, authenticator);
      return async () => {
        const { token, options } = await passkeyOptions(sso.gateway);
        const response = authenticator.get(options);
        return (await signInByPasskey(sso.gateway, { token, response })).status === 200;
      };
    },
    setRoles,
    transfer: ({ id, owner }: Organization, account_id: string) =>
      sso.require(owner, {
        path: `/api/organizations/${id}/transfer-ownership`,
        body: { account_id, current_password: owner.password },
      }),
  };
}
