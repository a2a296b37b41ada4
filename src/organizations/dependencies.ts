import type { Authz } from '../authz/authz.ts';
import type { Actor } from '../caller/actor.ts';
import type { FormKey, FormKind } from '../limits/limits.ts';
import type { Mail } from '../mail/mail.ts';
import type { Config } from '../platform/config/config.ts';
import type { Queryable, Database, Transaction } from '../platform/postgres/database.ts';
import type { Plans } from '../platform/config/plans.ts';
import type { Log } from '../platform/observability/log.ts';

interface RoleKey {
  organization_id: string;
  id: string;
}

/** A role that contains more than before, with the deleted roles that it replaces. */
interface GrownRole extends RoleKey {
  replaced: readonly string[];
}

export interface OrganizationsDependencies {
  database: Pick<Database, 'pool' | 'authPool'>;
  authz: Pick<Authz, 'check' | 'checkEach' | 'change' | 'edit' | 'editContent'>;
  mail: Pick<Mail, 'templates' | 'requireDelivery' | 'enqueueWithin' | 'wake'>;
  /** Consumes one point of a form's limit, or throws 429. */
  limitForm(kind: FormKind, key: FormKey): Promise<void>;
  config: Pick<Config, 'PUBLIC_URL'>;
  plans: Plans;
  log: Log;
  /** Deletes some access reviews of a deleted organization; returns false if none are left. */
  removeReviews(db: Queryable, organization_id: string): Promise<boolean>;
  /** Deletes these credentials of a deleted organization. */
  deleteServices(
    transaction: Transaction,
    organization_id: string,
    ids: readonly string[],
  ): Promise<void>;
  /**
   * Ends the links of accounts through the identity providers of an organization, and what these may
   * have let someone add. Every end of a membership runs it, before the membership's row is written.
   * For all accounts, the organization must be locked FOR UPDATE.
   */
  endSsoAccess(
    transaction: Transaction,
    accounts: { organization_id: string; account_ids: readonly string[] | 'all' },
    actor: Actor,
  ): Promise<void>;
  /**
   * Ends the links through which single sign-on may no longer sign in to an account, and what it may
   * have left in the account. Every change that gives a person a role or an organization runs it;
   * `owned` is the organization whose Owner the person has become.
   */
  endOutgrownAccess(
    transaction: Transaction,
    account: { account_id: string; owned?: string },
    actor: Actor,
  ): Promise<void>;
  /** Roles that single sign-on gives to people who join. */
  given: {
    /** Replaces a role of the organization; null removes it. */
    moveRole(transaction: Transaction, role: RoleKey, to: string | null): Promise<void>;
    /** Does the same for a role of teams. */
    moveTeamRole(transaction: Transaction, role: RoleKey, to: string | null): Promise<void>;
    /**
     * Stops single sign-on from giving a role of the organization whose permissions now exceed what
     * it may give, and from signing in to accounts that have the role. Every change that adds to a
     * role runs it.
     */
    growRole(transaction: Transaction, role: GrownRole, actor: Actor): Promise<void>;
    /** Does the same for a role of teams. */
    growTeamRole(transaction: Transaction, role: GrownRole, actor: Actor): Promise<void>;
  };
  /** The spaces of an organization: its catalog, and those of its teams and members. */
  spaces: {
    add(transaction: Transaction, organization_id: string): Promise<void>;
    addTeam(transaction: Transaction, team: { organization_id: string; id: string }): Promise<void>;
    /** Deletes some items of a deleted organization or team; returns false if none are left. */
    removeItems(
      db: Queryable,
      owner: { organization_id: string } | { team_id: string },
    ): Promise<boolean>;
    removeTeam(transaction: Transaction, team_id: string): Promise<void>;
    /** Does nothing if the membership already has a space. */
    addMember(
      transaction: Transaction,
      membership: { organization_id: string; account_id: string; id: string },
    ): Promise<void>;
    remove(transaction: Transaction, organization_id: string): Promise<void>;
  };
}
