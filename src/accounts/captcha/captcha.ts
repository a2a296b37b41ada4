import type { CaptchaChallenge } from './schema.ts';

/** Identifies a token, so that it can be spent only once; stored as a row in `used_once`. */
export interface Proof {
  hash: Buffer;
  /** ISO 8601, compared with database time; null if the provider checks the age. */
  expires_at: string | null;
}

export type CaptchaResult =
  | { outcome: 'ok' }
  | { outcome: 'invalid' }
  /** The provider did not verify the token; `reason` is for the log. */
  | { outcome: 'unavailable'; reason: string };

export interface Captcha {
  /** Returns the parameters of a form's widget; `now` is database time. */
  challenge(now: Date): Promise<CaptchaChallenge>;
  /**
   * Returns the proof of a token without verifying it, or null if it is malformed. Cheap and local.
   */
  read(token: string): Proof | null;
  verify(token: string, address: string): Promise<CaptchaResult>;
  /**
   * Whether an external provider verifies the tokens. It accepts each token only once, so check
   * that mail can be delivered before you call `verify`.
   */
  isHosted: boolean;
}
