import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import type { ProtocolConnection } from '../protocol.ts';
import { checkEnvelope, decodeResponse, readResponse, readSigned } from './envelope.ts';
import { readPerson } from './person.ts';
import type { SamlPerson } from './person.ts';
import { SamlRefused } from './refused.ts';
import type { SamlReason } from './refused.ts';
import { checkResponse, checkStatements } from './statements.ts';

export type SamlConnection = Pick<
  ProtocolConnection<'saml'>,
  'configuration' | 'attributes' | 'service_provider'
>;

export interface PostedResponse {
  /** The posted field `SAMLResponse`. */
  response: string;
  /** Of the flow that the response must belong to. */
  request_id: string;
  /** Of the database. */
  now: Date;
}

/** A person that the provider has authenticated, by an assertion that may be used once. */
export interface SamlIdentity {
  person: SamlPerson;
  assertion_id: string;
  /** When the assertion is worthless anyway, and its id need not be remembered. */
  expires_at: Date;
}

/**
 * Verifies a response to one of our requests. node-saml establishes what is signed; what the
 * signed assertion states is checked here, since the library compares neither issuer, recipient
 * nor destination, takes `InResponseTo` from unsigned text, and asks this machine's clock.
 *
 * Throws `SamlRefused`. The caller must consume the flow and the assertion's id with its sign-in.
 */
export async function verifyResponse(
  connection: SamlConnection,
  { response: posted, request_id, now }: PostedResponse,
): Promise<SamlIdentity> {
  const { configuration, service_provider } = connection;
  const expected = {
    issuer: configuration.entity_id,
    audience: service_provider.entity_id,
    acs_url: service_provider.acs_url,
    request_id,
    now,
  };
  const xml = decodeResponse(posted);
  const response = readResponse(xml);
  checkEnvelope(response);
  checkResponse(response, expected, configuration.response_signed);
  const assertion = readSigned(await signedAssertion(connection, xml, request_id));
  const expires_at = checkStatements(assertion, expected);
  const assertion_id = assertion.attributes.get('ID');
  if (assertion_id === undefined) throw new SamlRefused('signature');
  return { person: readPerson(assertion, connection.attributes), assertion_id, expires_at };
}

/** Returns the assertion as it was signed: nothing else of the response may be believed. */
async function signedAssertion(
  { configuration, service_provider }: SamlConnection,
  xml: string,
  requestId: string,
): Promise<string> {
  const saml = new SAML({
    issuer: service_provider.entity_id,
    audience: service_provider.entity_id,
    callbackUrl: service_provider.acs_url,
    idpCert: configuration.certificates,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: configuration.response_signed,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: onlyRequest(requestId),
    // Times are compared in `checkStatements`, with the database's clock.
    acceptedClockSkewMs: -1,
  });
  try {
    const SAMLResponse = Buffer.from(xml).toString('base64');
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse });
    const assertion = profile?.getAssertionXml?.();
    if (assertion !== undefined) return assertion;
  } catch (error) {
    throw new SamlRefused(reasonOf(error), error);
  }
  throw new SamlRefused('signature');
}

/** Answers the library's question which requests are open. The flow is consumed by its row. */
const onlyRequest = (requestId: string) => ({
  saveAsync: () => Promise.resolve(null),
  getAsync: (id: string) => Promise.resolve(id === requestId ? new Date().toISOString() : null),
  removeAsync: () => Promise.resolve(null),
});

/** The library has no codes; what it does not name is about the signature. */
function reasonOf(error: unknown): SamlReason {
  const message = error instanceof Error ? error.message : '';
  if (/audience/i.test(message)) return 'audience';
  if (/InResponseTo/.test(message)) return 'request';
  return /NotOnOrAfter/.test(message) ? 'expired' : 'signature';
}
