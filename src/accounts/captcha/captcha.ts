import type { CaptchaChallenge } from './schema.ts';

/** What a passed token is spent by; one row in `used_once`. */
export interface Proof {
  hash: Buffer;
  /** ISO 8601, judged by the database's time; null: the provider judges the age. */
  expires_at: string | null;
}

export type CaptchaAnswer =
  | { outcome: 'ok' }
  | { outcome: 'invalid' }
  /** The provider gave no answer; `reason` is for the log. */
  | { outcome: 'unavailable'; reason: string };

export interface Captcha {
  /** What the widget of a form needs; `now` is the database's. */
  challenge(now: Date): Promise<CaptchaChallenge>;
  /** What the token would be spent by; null: it is none. Costs nothing and asks nobody. */
  read(token: string): Proof | null;
  verify(token: string, address: string): Promise<CaptchaAnswer>;
  /** Verifying asks a provider and spends the token there: once, and after the mail probe. */
  isHosted: boolean;
}
