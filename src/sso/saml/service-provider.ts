import { generateServiceProviderMetadata, SAML } from '@node-saml/node-saml';
import type { SamlProvider } from './provider-metadata.ts';

/** What the administrator enters at the identity provider; each connection has its own. */
export interface ServiceProvider {
  entity_id: string;
  acs_url: string;
  metadata_url: string;
}

/** Returns our side of a connection. Its entity ID is the address of its metadata. */
export function serviceProviderOf(publicUrl: string, connectionId: string): ServiceProvider {
  const base = `${publicUrl}/api/auth/sso/${connectionId}`;
  return {
    entity_id: `${base}/metadata`,
    acs_url: `${base}/acs`,
    metadata_url: `${base}/metadata`,
  };
}

/** Returns the metadata document of our side of a connection. */
export const serviceProviderMetadata = ({ entity_id, acs_url }: ServiceProvider): string =>
  generateServiceProviderMetadata({
    issuer: entity_id,
    callbackUrl: acs_url,
    identifierFormat: null,
    wantAssertionsSigned: true,
    // The same document each time.
    generateUniqueId: () => `_${new URL(entity_id).pathname.split('/').at(-2)}`,
  });

/** Returns the URL that takes the browser to the provider with our request. */
export async function signInUrl(
  provider: SamlProvider,
  service: ServiceProvider,
  requestId: string,
): Promise<string> {
  const saml = new SAML({
    issuer: service.entity_id,
    callbackUrl: service.acs_url,
    entryPoint: provider.sign_in_url,
    idpCert: [...provider.certificates],
    // Providers choose how they identify people: most refuse a format that they do not send.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    generateUniqueId: () => requestId,
  });
  return saml.getAuthorizeUrlAsync('', undefined, {});
}
