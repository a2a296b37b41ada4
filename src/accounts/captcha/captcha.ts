import type { CaptchaChallenge } from './schema.ts';

/** Identity of a token, so that it can be spent only once; one row in `used_once`. */
export interface Proof {
  hash: Buffer;
  /** ISO 8601, compared with database time; null if the provider checks the age. */
  expires_at: string | null;
}

export type CaptchaAnswer =
  | { outcome: 'ok' }
  | { outcome: 'invalid' }
  /** The provider did not verify the token; `reason` is for the log. */
  | { outcome: 'unavailable'; reason: string };

export interface Captcha {
  /** Returns the parameters of a form's widget; `now` is database time. */
  challenge(now: Date): Promise<CaptchaChallenge>;
  /** Returns the proof of a token without verifying it, or null if malformed. Cheap and local. */
  read(token: string): Proof | null;
  verify(token: string, address: string): Promise<CaptchaAnswer>;
  /**
   * Whether a provider verifies tokens, each only once; verification must then follow the mail
   * probe.
   */
  isHosted: boolean;
}
