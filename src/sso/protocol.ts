import type { ConnectionConfiguration, ConnectionAttributes } from './connections/schema.ts';

/** The identifiers and URLs that are registered at the identity provider, one set per connection. */
export interface ServiceProvider {
  entity_id: string;
  /** Where the provider posts SAML responses. */
  acs_url: string;
  /** Where the provider redirects to after an OpenID Connect sign-in. */
  callback_url: string;
  metadata_url: string;
}

/** A connection with the secret that its protocol needs, decrypted. */
export interface ProtocolConnection<Protocol extends 'oidc' | 'saml' = 'oidc' | 'saml'> {
  id: string;
  organization_id: string;
  configuration: Extract<ConnectionConfiguration, { protocol: Protocol }>;
  /** The client secret; null for a protocol without one. */
  secret: string | null;
  attributes: ConnectionAttributes;
  service_provider: ServiceProvider;
}

/** Secrets of one sign-in, which `begin` sends to the provider and `complete` compares. */
export interface FlowSecrets {
  /** Identifies the flow in the provider's response: `state`, or RelayState in SAML. */
  state: string;
  nonce: string;
  /** The PKCE code verifier. */
  verifier: string;
  /** The ID of the SAML AuthnRequest, which the response names in InResponseTo. */
  request_id: string;
}

/** What `complete` compares the response with. */
export interface PendingFlow extends Omit<FlowSecrets, 'state'> {
  /** Database time in Unix seconds, by which the response must be valid. */
  now: number;
}

/** What a provider says about the person who signed in, after everything was verified. */
export interface AssertedPerson {
  /** Identifies the person at this provider for good: `sub`, or the NameID. */
  subject: string;
  /** As sent; null if there is none, or if the provider says that it is not verified. */
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  /** A language tag as sent. */
  locale: string | null;
  /**
   * Identifies a response that may be used once, in the transaction of its sign-in; null if the
   * protocol itself sees to that.
   */
  used_once: { hash: Buffer; expires_at: string } | null;
}

/**
 * A protocol that connections sign in with. Both functions throw `SignInRefused` with the reason
 * that the person is shown, or an error that `reasonOf` classifies; anything else is a defect.
 */
export interface SsoProtocol<Protocol extends 'oidc' | 'saml', Response> {
  /** Returns the URL to redirect the browser to. */
  begin(connection: ProtocolConnection<Protocol>, secrets: FlowSecrets): Promise<URL>;
  /** Verifies the provider's response; called at most once for each flow. */
  complete(
    connection: ProtocolConnection<Protocol>,
    response: Response,
    flow: PendingFlow,
  ): Promise<AssertedPerson>;
}
