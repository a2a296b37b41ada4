import { generateServiceProviderMetadata, SAML } from '@node-saml/node-saml';
import type { FlowSecrets, ProtocolConnection } from '../protocol.ts';

/** Returns the document that describes our side of a connection to its identity provider. */
export const serviceProviderMetadata = ({
  id,
  service_provider,
}: Pick<ProtocolConnection, 'id' | 'service_provider'>): string =>
  generateServiceProviderMetadata({
    issuer: service_provider.entity_id,
    callbackUrl: service_provider.acs_url,
    identifierFormat: null,
    wantAssertionsSigned: true,
    // The same document each time.
    generateUniqueId: () => `_${id}`,
  });

/** Returns the URL that takes the browser to the provider with our request. */
export async function signInUrl(
  { configuration, service_provider }: ProtocolConnection<'saml'>,
  { state, request_id }: Pick<FlowSecrets, 'state' | 'request_id'>,
): Promise<URL> {
  const saml = new SAML({
    issuer: service_provider.entity_id,
    callbackUrl: service_provider.acs_url,
    entryPoint: configuration.sign_in_url,
    idpCert: configuration.certificates,
    // Providers choose how they identify people: most refuse a format that they do not send.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    generateUniqueId: () => request_id,
  });
  return new URL(await saml.getAuthorizeUrlAsync(state, undefined, {}));
}
