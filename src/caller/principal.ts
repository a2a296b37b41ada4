import type { PlanName } from '../platform/config/plans.ts';
import type { Restrictions } from './restrictions/schema.ts';
import type { ContextObject, ScopeState } from './scope.ts';
import type { ToolListing } from './schema.ts';

/** The account or organization whose rate limits and quota a call counts against, never one key. */
export interface QuotaOwner {
  kind: 'account' | 'organization';
  id: string;
  plan: PlanName;
}

/** An organization that a principal acts in. */
export interface OrganizationState {
  id: string;
  status: 'active' | 'suspended';
  plan: PlanName;
}

/** Result of the authentication query: who acts, in which context, at which revisions. */
interface PrincipalBase<Kind extends string, Person extends string | null> {
  /** MCP sessions, cursors and cached pages are bound to its id. */
  credential: { kind: Kind; id: string };
  /** OpenFGA user: `user:<account>`, `api_key:<key>`, `connection:<connection>`. */
  subject: string;
  /** OpenFGA object on which the principal's checks are evaluated. */
  context: ContextObject;
  /** The account of the person it acts for; null for a credential of an organization. */
  person: Person;
  quota_owner: QuotaOwner;
  /**
   * For REST, the organization in the request's path; for MCP, the credential's organization. Its
   * scopes are among `scopes`. Null if there is no such organization, or if the principal does not
   * belong to it.
   */
  organization: OrganizationState | null;
  /** All scopes that its decisions depend on. */
  scopes: readonly ScopeState[];
}

/** A person in a dashboard session, with all permissions of the person (G7). */
export interface SessionPrincipal extends PrincipalBase<'session', string> {
  email: string;
  /** Time of the last authentication or reauthentication, ISO 8601. */
  auth_time: string;
}

/** Fields of every agent credential. */
interface AgentBase<Kind extends string, Person extends string | null> extends PrincipalBase<
  Kind,
  Person
> {
  /** The agent assigned for primary tasks (K2), available or not. */
  default_agent_id: string | null;
  tool_listing: ToolListing;
  /**
   * The four item policies as stored (formats in `policies/`); `all` except for personal keys (K1).
   */
  tool_policy: unknown;
  resource_policy: unknown;
  prompt_policy: unknown;
  agent_policy: unknown;
  /** Whether the arguments of its calls are recorded. */
  audit_arguments: boolean;
  /** From where and when it works; null is everywhere and always. */
  restrictions: Restrictions | null;
}

/** Fields of a credential in an organization. */
interface OrganizationFields {
  /**
   * The teams it is bound to. Null if it is bound to none: it then follows all teams of its person
   * or, if it acts for no person, of the organization.
   */
  team_ids: readonly string[] | null;
}

/**
 * A person's key. For REST, its context is the person's account; for MCP, it is the person's
 * membership if the key works in an organization (`org_scope`). Outside organizations, `team_ids`
 * is null.
 */
export interface ApiKeyPrincipal extends AgentBase<'api_key', string>, OrganizationFields {}

/** A key owned by an organization; acts for no person. */
export interface OrganizationKeyPrincipal extends AgentBase<'org_key', null>, OrganizationFields {}

/**
 * What an OAuth access token allows of what its connection may do, or what the connection itself
 * allows where no token is involved.
 */
export interface TokenGrant {
  client_id: string | null;
  /** The organization that the connection works in; null for its person's account. */
  organization_id: string | null;
  /** Whether it has the authority its client was registered with, not that of its person (SC4). */
  has_own_authority: boolean;
  /** Exact names, also limited by what the client may have now (SC1). */
  scopes: ReadonlySet<string>;
  /** Null if no token is involved. */
  token: AccessToken | null;
}

/** The claims of an access token that each request of it depends on. */
export interface AccessToken {
  /** Names, separated by spaces. */
  scope: string;
  /** Unix seconds; compared with database time. */
  expires: number;
}

/** An OAuth client that a person authorized, for their own account or in an organization. */
export interface ConnectionPrincipal extends AgentBase<'connection', string>, OrganizationFields {
  oauth: TokenGrant;
}

/** An OAuth client of an organization that acts by itself (client credentials). */
export interface MachinePrincipal extends AgentBase<'machine', null>, OrganizationFields {
  oauth: TokenGrant;
}

/** Principals that may use MCP. */
export type AgentPrincipal =
  | ApiKeyPrincipal
  | OrganizationKeyPrincipal
  | ConnectionPrincipal
  | MachinePrincipal;

export type Principal = SessionPrincipal | AgentPrincipal;
export type CredentialKind = Principal['credential']['kind'];

/** A principal that acts for a person and may reach that person's personal space. */
export type PersonalPrincipal = Extract<Principal, { person: string }>;

/**
 * Returns the account and its quota owner. Throws for a principal that acts in an organization: the
 * organization's quota must not be shown or charged as one person's.
 */
export function ownAccountOf({
  context,
  person,
  quota_owner,
}: Pick<Principal, 'context' | 'person' | 'quota_owner'>) {
  if (person === null || context !== `account:${person}`)
    throw new TypeError(`The principal must act in its own account, not in ${context}.`);
  return { account_id: person, quota_owner };
}

/**
 * Returns whether a principal acts in an organization that its person has left, or that was deleted
 * (A6). Rows decide this; no scope is needed.
 */
export const isOutside = ({ context, organization }: Pick<Principal, 'context' | 'organization'>) =>
  organization === null && !context.startsWith('account:');

export const isSession = (principal: Principal): principal is SessionPrincipal =>
  principal.credential.kind === 'session';

export const isKey = ({ credential }: Principal): boolean =>
  credential.kind === 'api_key' || credential.kind === 'org_key';

/** Returns what a principal's access token allows; null for every other credential. */
export const tokenGrantOf = (principal: object): TokenGrant | null =>
  'oauth' in principal ? (principal.oauth as TokenGrant) : null;

/**
 * Identifies what a principal was authenticated by. Tokens of one connection may have different
 * scopes and expire at different times.
 */
export function authenticatedBy(principal: Principal): string {
  const token = tokenGrantOf(principal)?.token;
  const { id } = principal.credential;
  return token ? JSON.stringify([id, token.expires, token.scope]) : id;
}
