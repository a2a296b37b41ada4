import type { Audit } from '../audit/audit.ts';
import type { Authz } from '../authz/authz.ts';
import type { FormKey, FormKind } from '../limits/limits.ts';
import type { Mail } from '../mail/mail.ts';
import type { Database } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Captcha } from './captcha.ts';
import type { Passwords } from './passwords.ts';

export type LimitForm = (kind: FormKind, key: FormKey) => Promise<void>;

export interface AccountsDependencies {
  database: Database;
  authz: Pick<Authz, 'change'>;
  mail: Pick<Mail, 'letters' | 'requireDelivery' | 'enqueue' | 'wake'>;
  audit: Audit;
  secrets: Secrets;
  config: { PUBLIC_URL: string; DASHBOARD_URL: string };
  /** Takes a point or throws 429. */
  limitForm: LimitForm;
  /** Gives it back: a sign-in that succeeded was no failed one. */
  forgiveForm: LimitForm;
  log: Log;
  /** Tests bring an easier challenge; production leaves both out. */
  captcha?: Captcha;
  passwords?: Passwords;
}

/** The same with what the module makes for itself. */
export type Parts = AccountsDependencies & { captcha: Captcha; passwords: Passwords };
