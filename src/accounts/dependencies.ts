import type { Audit } from '../audit/audit.ts';
import type { Authz } from '../authz/authz.ts';
import type { FormKey, FormKind } from '../limits/limits.ts';
import type { Mail } from '../mail/mail.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Connection, Transaction } from '../platform/postgres/database.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { Captcha } from './captcha/captcha.ts';
import type { Passwords } from './passwords/passwords.ts';
import type { ProviderSettings } from './providers/configured.ts';

export type LimitForm = (kind: FormKind, key: FormKey) => Promise<void>;

/** What organizations demand of their people; asked where an account's own rules are not enough. */
export interface OrganizationRules {
  /** Whether the person signs in at an organization's identity provider alone (spec: behaviour 6). */
  requiresSso(connection: Connection, accountId: string): Promise<boolean>;
  /** Organizations that would be left without an owner. */
  ownedAlone(connection: Connection, accountId: string): Promise<{ id: string; name: string }[]>;
}

/** As long as there are none. */
export const noOrganizations: OrganizationRules = {
  requiresSso: async () => false,
  ownedAlone: async () => [],
};

/**
 * What a module holds of an account, without secrets; of each list the newest, up to `most`. Wherever
 * a list may be long it is an `AsyncIterable`, whose rows are read as they are sent.
 */
export type Export = (connection: Connection, accountId: string, most: number) => unknown;

export interface AccountsDependencies {
  database: Database;
  authz: Pick<Authz, 'change'>;
  mail: Pick<Mail, 'letters' | 'requireDelivery' | 'enqueue' | 'wake' | 'forget'>;
  audit: Audit;
  secrets: Secrets;
  outbound: Pick<Outbound, 'fetch'>;
  config: ProviderSettings &
    Pick<
      Config,
      | 'PUBLIC_URL'
      | 'DASHBOARD_URL'
      | 'CAPTCHA'
      | 'CAPTCHA_SITE_KEY'
      | 'CAPTCHA_SECRET'
      | 'CAPTCHA_VERIFY_URL'
    >;
  /** Makes the space of a new account; it ends with the account. */
  addPersonalSpace(transaction: Transaction, accountId: string): Promise<void>;
  /** Takes a point or throws 429. */
  limitForm: LimitForm;
  /** Gives it back: a sign-in that succeeded was no failed one. */
  forgiveForm: LimitForm;
  organizations: OrganizationRules;
  /** Parts of an account's export, by the names they have in it. */
  exports: Readonly<Record<string, Export>>;
  log: Log;
  /** Tests bring an easier challenge; production leaves both out. */
  captcha?: Captcha;
  passwords?: Passwords;
}

/** The same with what the module makes for itself. */
export type AccountsParts = AccountsDependencies & { captcha: Captcha; passwords: Passwords };
