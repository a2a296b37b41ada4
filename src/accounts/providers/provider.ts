import type { Language } from '../../texts/languages.ts';

/** A person authenticated by a provider, with normalized fields. */
export interface Person {
  /** `issuer` and `subject` together identify the person; the other fields may change. */
  issuer: string;
  subject: string;
  /** Null unless it is an address and the provider states that it is verified. */
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  /** Null if the provider sends none or an invalid one. */
  locale: Language | null;
}

/** Secrets that a flow sends to the provider and compares in the callback. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  /** The PKCE code verifier. */
  verifier: string;
}

/** Parameters of the provider's redirect to the callback. */
export interface CallbackParameters {
  state: string;
  code?: string | undefined;
  /** The issuer of the response (RFC 9207). */
  iss?: string | undefined;
}

export interface Provider {
  /** Used in paths: `google`. */
  id: string;
  /** Display name. */
  name: string;
  /** Returns the URL to redirect the browser to. Throws errors that `reasonOf` classifies. */
  authorizationUrl(secrets: FlowSecrets): Promise<URL>;
  /**
   * Redeems the code and verifies the response. `clock_skew` is how many seconds the database's
   * clock is ahead of this process's clock. Throws errors that `reasonOf` classifies.
   */
  identify(
    callback: CallbackParameters,
    flow: { nonce: string; verifier: string; clock_skew: number },
  ): Promise<Person>;
}

/** The OAuth client that the operator registered with the provider. */
export interface ProviderClient {
  client_id: string;
  client_secret: string;
  redirect_uri: string;
}
