import { z } from 'zod';
import { buildSignInUrl, configure, discover, redeem } from '../../accounts/providers/providers.ts';
import { createOpenIdFetch } from '../../platform/outbound/openid-fetch.ts';
import type { Callback } from '../../accounts/providers/schema.ts';
import type { ConnectionAttributes } from '../connections/schema.ts';
import type { SsoDependencies } from '../dependencies.ts';
import type { AssertedPerson, ProtocolConnection, SsoProtocol } from '../protocol.ts';

// At most 255 ASCII characters (OpenID Connect Core 2), without those PostgreSQL cannot store.
const Subject = z.string().regex(/^[\x20-\x7e]{1,255}$/);

/**
 * OpenID Connect by discovery. The discovery document and the provider's keys are read for each
 * sign-in, so that a change there takes effect at once.
 */
export function createOidc({
  outbound,
}: Pick<SsoDependencies, 'outbound'>): SsoProtocol<'oidc', Callback> {
  const fetch = createOpenIdFetch(outbound);

  async function prepare(connection: ProtocolConnection<'oidc'>, clockSkew = 0) {
    const { configuration, secret, service_provider } = connection;
    const redirect_uri = service_provider.callback_url;
    const client = { ...configuration, client_secret: secret!, redirect_uri };
    return {
      client,
      configured: configure(client, await discover(client, fetch), fetch, clockSkew),
    };
  }

  return {
    async begin(connection, secrets) {
      const { client, configured } = await prepare(connection);
      return buildSignInUrl(configured, client, secrets);
    },
    async complete(connection, callback, { nonce, verifier, now }) {
      const skew = now - Math.floor(Date.now() / 1_000);
      const { client, configured } = await prepare(connection, skew);
      const emailClaim = connection.attributes.email ?? 'email';
      const { state = '', code, iss } = callback;
      const flow = { nonce, verifier, emailClaim };
      const claims = await redeem(configured, client, { state, code, iss }, flow);
      return personOf(claims, connection.attributes);
    },
  };
}

/**
 * Reads the person from verified claims. Not every provider sends `email_verified`, and the domain
 * is verified, so a missing claim counts as true. With any other value the address is left out.
 */
function personOf(
  claims: Readonly<Record<string, unknown>>,
  attributes: ConnectionAttributes,
): AssertedPerson {
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : null);
  const [first = null, ...rest] = (text('name') ?? '').split(/\s+/).filter((part) => part !== '');
  const { email_verified = true } = claims;
  const isVerified = email_verified === true || text('email_verified')?.toLowerCase() === 'true';
  return {
    subject: Subject.parse(claims['sub']),
    email: isVerified ? text(attributes.email ?? 'email') : null,
    first_name: text(attributes.first_name ?? 'given_name') ?? first,
    last_name: text(attributes.last_name ?? 'family_name') ?? (rest.join(' ') || null),
    locale: text('locale'),
    // The provider redeems a code once.
    used_once: null,
  };
}
