import type { Language } from '../../texts/languages.ts';

/** Whom a provider vouched for, in our forms. */
export interface Person {
  /** The pair is who it is; all else is what it shows today. */
  issuer: string;
  subject: string;
  /** Null unless the provider says that it verified it. */
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  /** Null: the provider does not say. */
  locale: Language | null;
}

/** What a flow sends along and compares when it comes back. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
}

/** What the provider's redirect carries. */
export interface Redirected {
  state: string;
  code?: string | undefined;
  /** RFC 9207: who answers. */
  iss?: string | undefined;
}

export interface Provider {
  /** In paths: `google`. */
  id: string;
  /** For people. */
  name: string;
  /** Where the browser goes. Throws what `reasonOf` knows. */
  authorizationUrl(secrets: FlowSecrets): Promise<URL>;
  /**
   * Redeems the code and verifies what it brings. `clock_skew` are the seconds by which the
   * database's clock is ahead of this process's. Throws what `reasonOf` knows.
   */
  identify(
    redirected: Redirected,
    flow: { nonce: string; verifier: string; clock_skew: number },
  ): Promise<Person>;
}

/** A client as the operator registered it with the provider. */
export interface ProviderClient {
  client_id: string;
  client_secret: string;
  redirect_uri: string;
}
