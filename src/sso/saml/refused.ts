/**
 * Why a response of an identity provider is refused. Administrators see it when they test their
 * connection, and it is recorded in the audit log; the person who signs in sees one text for all.
 */
export type SamlReason =
  /** Not a SAML response: no base64, no well-formed XML, or markup that a response never needs. */
  | 'malformed'
  /** The provider itself refused the sign-in. */
  | 'status'
  | 'encrypted'
  /** None, or more than one. */
  | 'assertions'
  /** Signed or digested with SHA-1 or an unknown algorithm. */
  | 'algorithm'
  /** Not signed, not with a certificate of the connection, or not what the signature covers. */
  | 'signature'
  | 'issuer'
  | 'destination'
  | 'recipient'
  | 'audience'
  /** Belongs to our sign-in by its RelayState, but does not name our request in InResponseTo. */
  | 'request'
  | 'not_yet_valid'
  | 'expired'
  /** Without a lasting identifier of the person. */
  | 'subject';

/** A response that must not sign anyone in. The message never contains what was received. */
export class SamlRefused extends Error {
  readonly reason: SamlReason;

  constructor(reason: SamlReason, cause?: unknown) {
    super(`SAML response refused: ${reason}`, { cause });
    this.name = 'SamlRefused';
    this.reason = reason;
  }
}
