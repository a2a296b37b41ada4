import { inflateRawSync } from 'node:zlib';
import type { ConnectionRecord } from '../../../src/sso/connections/schema.ts';
import type { DomainRecord } from '../../../src/sso/domains/schema.ts';
import { samlpResponse } from '../peers/saml/samlp-provider.ts';
import type { SamlpOptions } from '../peers/saml/samlp-provider.ts';
import type { SigningPair } from '../peers/saml/signing-pair.ts';
import type { DnsServer } from '../servers/dns-server.ts';
import { askPresent, createOrganization } from './organizations.ts';
import { signUp } from './people.ts';
import { createBrowserOf, createVisitor } from './visitor.ts';
import type { Step, Visitor } from './visitor.ts';
import type { TeamsWorld } from './teams.ts';

export interface SamlForm {
  SAMLResponse: string;
  RelayState?: string;
}

/** An AuthnRequest as the provider receives it. */
export interface SamlRequest {
  visitor: Visitor;
  url: URL;
  id: string;
  state: string;
}

/** Metadata of a provider that signs with these keys. */
export const metadataOf = (entity_id: string, pairs: readonly SigningPair[]) => `
  <EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entity_id}">
    <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
      ${pairs
        .map(
          ({ certificate }) => `<KeyDescriptor use="signing">
            <KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>
            ${certificate.replaceAll(/-----[^-]*-----/g, '')}
            </X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
        )
        .join('')}
      <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
        Location="https://idp.example.com/sso"/>
    </IDPSSODescriptor>
  </EntityDescriptor>`;

/** Creates an Enterprise organization with a verified domain and functions to sign in with SAML. */
export async function createSamlOrganization(
  { world, gateway }: Pick<TeamsWorld, 'world' | 'gateway'>,
  dns: DnsServer,
  domain = `${crypto.randomUUID().slice(0, 8)}.example`,
) {
  const owner = await signUp(world, gateway, 'owner');
  const { id } = await createOrganization(owner);
  await gateway.service.organizations.setPlan(id, 'enterprise');
  const path = `/api/organizations/${id}/sso`;
  const claimed = await askPresent<DomainRecord>(owner, {
    path: `${path}/domains`,
    body: { domain },
  });
  dns.records.set(claimed.body.txt_name, [[claimed.body.txt_value]]);
  await askPresent(owner, { method: 'POST', path: `${path}/domains/${domain}/verify` });
  const entity_id = `https://${domain}/saml`;

  const post = (connection: Pick<ConnectionRecord, 'id'>, form: SamlForm) =>
    postForm(gateway.url, `/api/auth/sso/${connection.id}/acs`, form);

  /** Begins a sign-in in a browser, and reads what it takes to the provider. */
  async function start(connection: ConnectionRecord, visitor = createVisitor(gateway.url)) {
    return readRequest(visitor, await visitor.go(`/api/auth/sso/${connection.id}/start`));
  }

  /** Posts samlp's response to a request, and follows the redirect if it is accepted. */
  async function answer(
    connection: ConnectionRecord,
    pair: SigningPair,
    request: SamlRequest,
    email: string,
  ) {
    const { visitor } = request;
    const posted = await post(connection, await respond(connection, pair, request, email));
    const isAccepted = posted.location.includes('/finish?');
    return { visitor, step: isAccepted ? await visitor.go(posted.location) : posted };
  }

  return {
    ...{ id, owner, path, domain, entity_id, post, start, respond },
    signIn: async (connection: ConnectionRecord, pair: SigningPair, email: string) =>
      answer(connection, pair, await start(connection), email),
    /** Tests a connection as the Owner, and returns the last step. */
    async test(connection: ConnectionRecord, pair: SigningPair, email: string): Promise<Step> {
      const link = await askPresent<{ url: string }>(owner, {
        path: `${path}/connections/${connection.id}/test`,
        body: {},
      });
      const visitor = createBrowserOf(gateway.url, owner);
      const request = readRequest(visitor, await visitor.go(link.body.url));
      return (await answer(connection, pair, request, email)).step;
    },
    newAddress: () => `${crypto.randomUUID().slice(0, 8)}@${domain}`,
    async connect(metadata: string, more: Record<string, unknown> = {}): Promise<ConnectionRecord> {
      const body = { name: 'Acme ID', protocol: 'saml', saml: { metadata }, ...more };
      const created = await askPresent<ConnectionRecord>(owner, {
        path: `${path}/connections`,
        body,
      });
      if (created.status !== 201) throw new Error(`connection: ${JSON.stringify(created.body)}`);
      return created.body;
    },
  };
}
export type SamlOrganization = Awaited<ReturnType<typeof createSamlOrganization>>;

/** Returns what samlp posts in response to a request; `overrides` spoil it. */
async function respond(
  connection: ConnectionRecord,
  pair: SigningPair,
  { id: request_id, state }: SamlRequest,
  email: string,
  overrides: Partial<SamlpOptions> = {},
): Promise<SamlForm> {
  const { entity_id: audience, acs_url } = connection.service_provider;
  const xml = await samlpResponse(
    pair,
    { issuer: connection.saml!.entity_id, audience, acs_url, request_id },
    { subject: email, attributes: { email, firstName: 'Ada', lastName: 'King' } },
    overrides,
  );
  return { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: state };
}

function readRequest(visitor: Visitor, { location, body }: Step): SamlRequest {
  const url = URL.parse(location);
  if (url === null) throw new Error(`no redirect to a provider: ${body}`);
  const packed = Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64');
  const id = / ID="([^"]+)"/.exec(inflateRawSync(packed).toString())?.[1] ?? '';
  return { visitor, url, id, state: url.searchParams.get('RelayState') ?? '' };
}

/** Posts a form as a page of another site does: without cookies. */
async function postForm(url: string, path: string, form: SamlForm) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: 'https://idp.example.com', 'sec-fetch-site': 'cross-site' },
    body: new URLSearchParams({ ...form }),
  });
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    setCookie: response.headers.getSetCookie(),
    body: await response.text(),
  };
}
