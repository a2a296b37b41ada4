import type { Audit } from '../audit/audit.ts';
import type { Authz } from '../authz/authz.ts';
import type { RequestFacts } from '../caller/route.ts';
import type { ScopeRef } from '../caller/scope.ts';
import type { FormKey, FormKind } from '../limits/limits.ts';
import type { Mail } from '../mail/mail.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { Captcha } from './captcha/captcha.ts';
import type { Passwords } from './passwords/passwords.ts';
import type { ProviderSettings } from './providers/configured.ts';

export type LimitForm = (kind: FormKind, key: FormKey) => Promise<void>;

/** Rules that organizations impose on the accounts of their members. */
export interface OrganizationRules {
  /** Whether the person must sign in at an organization's identity provider (spec: behaviour 6). */
  requiresSso(db: Queryable, accountId: string): Promise<boolean>;
  /** Whether a session that was opened through a connection of single sign-on may be refreshed. */
  allowsSsoSession(
    db: Queryable,
    session: { id: string; account_id: string; sso_connection_id: string },
  ): Promise<boolean>;
  /** Returns the organizations that would be left without an owner. */
  solelyOwnedOrganizations(
    db: Queryable,
    accountId: string,
  ): Promise<readonly { id: string; name: string }[]>;
  /** Returns the person's memberships, including past ones. */
  membershipsOf(db: Queryable, accountId: string): Promise<readonly AccountMembership[]>;
  /** Deletes the invitations to addresses of a deleted account. */
  forgetAddresses(transaction: Transaction, addresses: readonly string[]): Promise<void>;
  /** Deletes expired rows. */
  sweep(db: Queryable): Promise<void>;
  invitations: InvitationRules;
}

/** Registration through an invitation: confirming the address also joins the organization. */
export interface InvitationRules {
  /** Returns the id of a link's invitation; throws 422 unless it was sent to this address. */
  requireInvitation(token: string, email: string): Promise<string>;
  add(
    transaction: Transaction,
    row: { registration_id: string; invitation_id: string },
  ): Promise<void>;
  /** Records the account that was created from a registration. */
  claim(
    transaction: Transaction,
    row: { registration_id: string; account_id: string },
  ): Promise<void>;
  /** Accepts the invitations that a verified account registered with; never throws. */
  join(accountId: string, request: RequestFacts): Promise<void>;
}

/** A membership's scope and its objects, whose tuples are all deleted with the account. */
export interface AccountMembership {
  scope: ScopeRef;
  objects: readonly string[];
}

/**
 * Reads what a module stores about an account, without secrets. Lists hold the newest entries, up
 * to `limit`. A list that may be long is an `AsyncIterable`, whose rows are read as they are sent.
 */
export type Export = (db: Queryable, accountId: string, limit: number) => unknown;

export interface AccountsDependencies {
  database: Database;
  authz: Pick<Authz, 'change'>;
  mail: Pick<Mail, 'templates' | 'requireDelivery' | 'enqueue' | 'wake' | 'deleteEmails'>;
  audit: Audit;
  secrets: Secrets;
  outbound: Pick<Outbound, 'fetch'>;
  config: ProviderSettings &
    Pick<
      Config,
      | 'PUBLIC_URL'
      | 'DASHBOARD_URL'
      | 'DEV_MAIL'
      | 'CAPTCHA'
      | 'CAPTCHA_SITE_KEY'
      | 'CAPTCHA_SECRET'
      | 'CAPTCHA_VERIFY_URL'
    >;
  /** Creates the personal space of a new account; it is deleted with the account. */
  addPersonalSpace(transaction: Transaction, accountId: string): Promise<void>;
  /** Consumes one point of a form's limit, or throws 429. */
  limitForm: LimitForm;
  /** Refunds the point after a success, so that only failures count. */
  refundForm: LimitForm;
  organizations: OrganizationRules;
  /** Readers of the parts of an account's export, by field name. */
  exports: Readonly<Record<string, Export>>;
  log: Log;
  /** Replaced by faster implementations in tests; production omits both. */
  captcha?: Captcha;
  passwords?: Passwords;
}

/** The dependencies with the parts that the module creates itself. */
export type AccountsParts = AccountsDependencies & { captcha: Captcha; passwords: Passwords };
