import type { SamlSettings } from '../connections/schema.ts';
import { readCertificate } from './certificates.ts';
import { providerInvalid } from './provider-problems.ts';
import { PROVIDER_LIMITS } from './schema.ts';
import { childrenOf, everythingIn, readXml, SAML_METADATA, SAMLP, XML_SIGNATURE } from './xml.ts';
import type { XmlElement } from './xml.ts';

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
// Reading so many takes some fifteen milliseconds.
const MAX_NODES = 5_000;

/**
 * Reads the metadata document of an identity provider. Its signature is not checked: the administrator
 * who configures the connection vouches for it. Throws 422.
 */
export function readProviderMetadata(xml: string): SamlSettings {
  const entity = findProvider(parse(xml));
  const role = rolesOf(entity)[0]!;
  return readProvider({
    entity_id: entity.attributes.get('entityID') ?? '',
    sign_in_url: signInUrlOf(role),
    certificates: certificatesOf(role),
  });
}

/** Checks the description of a provider, and returns its certificates as PEM, each once. Throws 422. */
export function readProvider(described: SamlSettings): SamlSettings {
  const { entity_id, sign_in_url } = described;
  if (entity_id.length > PROVIDER_LIMITS.entity_id || !/^[^\s\p{Cc}]+$/u.test(entity_id))
    throw providerInvalid('entity_id_invalid');
  if (!isSignInUrl(sign_in_url)) throw providerInvalid('sign_in_url_invalid');
  if (described.certificates.some((one) => one.length > PROVIDER_LIMITS.certificate))
    throw providerInvalid('certificate_too_long');
  const certificates = [...new Set(described.certificates.map(readCertificate))];
  if (certificates.length === 0) throw providerInvalid('certificate_missing');
  if (certificates.length > PROVIDER_LIMITS.certificates)
    throw providerInvalid('certificates_too_many');
  return { entity_id, sign_in_url, certificates };
}

function parse(xml: string): XmlElement {
  try {
    return readXml(xml.replace(/^\uFEFF/, ''), MAX_NODES);
  } catch {
    throw providerInvalid('metadata_invalid');
  }
}

/** Returns the entity that is an identity provider: the root, or one in a list of entities. */
function findProvider(root: XmlElement): XmlElement {
  const providers = everythingIn(root).filter(
    ({ namespace, name, ...entity }) =>
      namespace === SAML_METADATA &&
      name === 'EntityDescriptor' &&
      rolesOf({ namespace, name, ...entity }).length > 0,
  );
  if (providers.length > 1) throw providerInvalid('metadata_several_providers');
  const [provider] = providers;
  if (provider === undefined) throw providerInvalid('metadata_invalid');
  return provider;
}

const rolesOf = (entity: XmlElement) =>
  childrenOf(entity, SAML_METADATA, 'IDPSSODescriptor').filter((role) =>
    role.attributes.get('protocolSupportEnumeration')?.split(/\s+/).includes(SAMLP),
  );

function signInUrlOf(role: XmlElement): string {
  const service = childrenOf(role, SAML_METADATA, 'SingleSignOnService').find(
    ({ attributes }) => attributes.get('Binding') === REDIRECT,
  );
  if (service === undefined) throw providerInvalid('sign_in_url_missing');
  return service.attributes.get('Location') ?? '';
}

/** Returns what signs: a key without a use signs and encrypts. */
const certificatesOf = (role: XmlElement): string[] =>
  childrenOf(role, SAML_METADATA, 'KeyDescriptor')
    .filter(({ attributes }) => (attributes.get('use') ?? 'signing') === 'signing')
    .flatMap(everythingIn)
    .filter(({ namespace, name }) => namespace === XML_SIGNATURE && name === 'X509Certificate')
    .map(({ text }) => text);

/** A browser goes there: https, or http on loopback, and never a script. */
function isSignInUrl(text: string): boolean {
  const url = text.length <= PROVIDER_LIMITS.url ? URL.parse(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  const isLoopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback);
}
