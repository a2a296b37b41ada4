import { randomUUID } from 'node:crypto';
import type { ConnectionRecord } from '../../../src/sso/connections/schema.ts';
import type { DomainRecord } from '../../../src/sso/domains/schema.ts';
import { createDnsServer } from '../servers/dns-server.ts';
import type { DnsServer } from '../servers/dns-server.ts';
import type { Gateway, World } from '../worlds/world.ts';
import { createOpenIdServer } from './openid-server.ts';
import type { OpenIdServer } from './openid-server.ts';
import { askPresent, createOrganization, createRole } from './organizations.ts';
import { signUp } from './people.ts';
import type { SignedUp } from './people.ts';
import { createTeamsWorld } from './teams.ts';
import { createBrowserOf, createVisitor, followProvider } from './visitor.ts';
import type { Step, Visitor } from './visitor.ts';

/** The servers that connections of organizations need. */
export interface SsoServers {
  world: World;
  gateway: Gateway;
  dns: DnsServer;
  provider: OpenIdServer;
}

async function require<Body>(who: SignedUp, request: Parameters<typeof askPresent>[1]) {
  const { status, body } = await askPresent<Body>(who, request);
  if (status >= 300) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Creates organizations that have connected the provider. */
export function createSsoOrganizations({ world, gateway, dns, provider }: SsoServers) {
  /** The settings with which a connection uses the provider. */
  const oidc = {
    issuer: provider.issuer,
    client_id: provider.env['OIDC_CLIENT_ID']!,
    client_secret: provider.env['OIDC_CLIENT_SECRET']!,
  };
  const draft = { name: 'Acme ID', protocol: 'oidc', oidc };

  /** Goes to the provider and back in a browser, as the person with these claims. */
  async function signInAt(
    location: string,
    person: Record<string, unknown>,
    visitor = createVisitor(gateway.url),
  ): Promise<{ visitor: Visitor; step: Step }> {
    const start = await visitor.go(location);
    if (!start.location.startsWith(provider.issuer)) return { visitor, step: start };
    provider.person = person;
    return { visitor, step: await visitor.go(await followProvider(start.location)) };
  }

  /** Claims a domain, and publishes its TXT record. */
  async function claim(owner: SignedUp, path: string, domain: string) {
    const { txt_name, txt_value } = await require<DomainRecord>(owner, {
      ...{ path: `${path}/domains`, body: { domain } },
    });
    dns.records.set(txt_name, [[txt_value]]);
  }

  /** Creates an organization on Enterprise that claims a domain. */
  async function claiming(owner: SignedUp, domain: string) {
    const { id } = await createOrganization(owner);
    await gateway.service.organizations.setPlan(id, 'enterprise');
    const path = `/api/organizations/${id}/sso`;
    await claim(owner, path, domain);
    return { id, path };
  }

  /** Creates an organization on Enterprise that has verified a domain and connected the provider. */
  async function organization(change: Record<string, unknown> = {}, by: SignedUp | null = null) {
    const domain = newDomain();
    const owner = by ?? (await signUp(world, gateway, 'owner', `owner-${randomUUID()}@${domain}`));
    const { id, path } = await claiming(owner, domain);
    const verifyClaimed = (claimed: string) =>
      require(owner, { method: 'POST', path: `${path}/domains/${claimed}/verify` });
    await verifyClaimed(domain);
    const connection = await require<ConnectionRecord>(owner, {
      path: `${path}/connections`,
      body: { ...draft, ...change },
    });
    const start = `/api/auth/sso/${connection.id}/start`;
    return {
      ...{ id, owner, domain, path, connection, start },
      /** Claims and verifies another domain. */
      async verify(other: string) {
        await claim(owner, path, other);
        await verifyClaimed(other);
      },
      /** Claims of a person that the provider knows. */
      someone: (claims: Record<string, unknown> = {}) => ({
        sub: randomUUID(),
        email: `ada-${randomUUID().slice(0, 12)}@${domain}`,
        given_name: 'Ada',
        family_name: 'Lovelace',
        ...claims,
      }),
      /** Signs up a person with a password and an address in the domain. */
      signUp: (name = 'pat') =>
        signUp(world, gateway, name, `${name}-${randomUUID().slice(0, 12)}@${domain}`),
      signIn: (person: Record<string, unknown>, visitor?: Visitor) =>
        signInAt(start, person, visitor),
      /** Tests the connection as the member, and returns where that led. */
      async test(who: SignedUp, person: Record<string, unknown>) {
        const test = `${path}/connections/${connection.id}/test`;
        const { url } = await require<{ url: string }>(who, { path: test, body: {} });
        return (await signInAt(url, person, createBrowserOf(gateway.url, who))).step;
      },
      /** Connects the provider once more, as this member. */
      async connect(who: SignedUp, fields: Record<string, unknown> = {}) {
        const other = await require<ConnectionRecord>(who, {
          path: `${path}/connections`,
          body: { name: 'Second ID', protocol: 'oidc', oidc, ...fields },
        });
        const signIn = (person: Record<string, unknown>) =>
          signInAt(`/api/auth/sso/${other.id}/start`, person);
        return { ...other, path: `${path}/connections/${other.id}`, signIn };
      },
      enforce: (who: SignedUp, enforced = true) =>
        askPresent<{ enforced: boolean }>(who, { method: 'PATCH', path, body: { enforced } }),
    };
  }

  return { oidc, draft, signInAt, claiming, organization };
}
export const newDomain = () => `d${randomUUID().slice(0, 12)}.example`;

/**
 * Starts a world with a name server and an OpenID provider, which organizations connect to. Settings
 * may depend on the provider: with its `env`, everyone can sign in there, as at a third party.
 */
export async function createSsoWorld(
  env: Record<string, string> | ((provider: OpenIdServer) => Record<string, string>) = {},
) {
  const dns = await createDnsServer();
  const provider = await createOpenIdServer();
  const teams = await createTeamsWorld({
    ...{ DNS_SERVERS: dns.address, OUTBOUND_ALLOW: '127.0.0.1,localhost' },
    ...(typeof env === 'function' ? env(provider) : env),
  });
  const { world, gateway } = teams;
  const { PUBLIC_URL } = gateway.config;
  const organizations = createSsoOrganizations({ world, gateway, dns, provider });
  const { oidc, signInAt } = organizations;

  async function organization(change: Record<string, unknown> = {}) {
    const created = await organizations.organization(change);
    const { id, owner } = created;
    return {
      ...created,
      /** Adds a member who can configure single sign-on, and nothing else. */
      async addConfigurer() {
        const permissions = ['can_update_organization_sso', 'can_view_organization'];
        const role = await createRole(owner, id, { name: 'SSO', permissions });
        return { ...(await teams.join(id, 'limited', [role.id])), role };
      },
    };
  }

  return {
    ...teams,
    ...{ dns, provider, oidc, require, signInAt, organization },
    home: `${gateway.config.DASHBOARD_URL}/`,
    refused: (reason: string) => `${PUBLIC_URL}/sign-in/refused#reason=${reason}`,
    async close() {
      await teams.close();
      await Promise.all([dns.close(), provider.close()]);
    },
  };
}
export type SsoWorld = Awaited<ReturnType<typeof createSsoWorld>>;
