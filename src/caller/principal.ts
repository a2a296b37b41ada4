import type { PlanName } from '../platform/config/plans.ts';
import type { ScopeState } from './scope.ts';

/** The account or organization that rates and quota are charged to, never a single key. */
export interface QuotaOwner {
  kind: 'account' | 'organization';
  id: string;
  plan: PlanName;
}

/** What the authentication query found: who acts, from where, at which revisions. */
interface PrincipalBase<Kind extends string, Person extends string | null> {
  /** Sessions of MCP, cursors and cached pages are bound to its id. */
  credential: { kind: Kind; id: string };
  /** As OpenFGA knows it: `user:<account>`, `api_key:<key>`, `connection:<connection>`. */
  subject: string;
  /** The context object, on which checks are asked: `account:<account>`,
   * `membership:<organization>.<account>` or `service:<organization>.<credential>`. */
  context: string;
  /** The account of the person it acts for; null for a credential of an organization. */
  person: Person;
  quota_owner: QuotaOwner;
  /** Every scope its decisions depend on. */
  scopes: readonly ScopeState[];
}

/** A person in a dashboard session; carries everything the person holds (G7). */
export interface SessionPrincipal extends PrincipalBase<'session', string> {
  email: string;
  /** When the person last proved presence, ISO 8601. */
  auth_time: string;
}

/** What every credential of an agent has. */
interface AgentBase<Kind extends string, Person extends string | null> extends PrincipalBase<
  Kind,
  Person
> {
  /** The agent assigned for primary tasks (K2), whether or not it is available. */
  default_agent_id: string | null;
  /** The four item policies in the stored shapes of `policies/`; `all` but for a personal key (K1). */
  tool_policy: unknown;
  resource_policy: unknown;
  prompt_policy: unknown;
  agent_policy: unknown;
  /** Whether the arguments of its calls are recorded. */
  audit_arguments: boolean;
}

/** What a credential of an organization has: the teams it is bound to, null if it follows. */
interface InOrganization {
  organization_id: string;
  team_ids: readonly string[] | null;
}

/** A person's key, in their own space or in an organization (`org_scope`). */
export interface ApiKeyPrincipal extends AgentBase<'api_key', string> {}

/** A key that an organization owns; it acts for no person. */
interface OrganizationKeyPrincipal extends AgentBase<'org_key', null>, InOrganization {}

/** An OAuth client that a person authorized, for their own space or an organization's. */
interface ConnectionPrincipal extends AgentBase<'connection', string> {
  client_id: string;
  oauth_scopes: readonly string[];
  organization: InOrganization | null;
}

/** An OAuth client of an organization that acts by itself (client credentials). */
interface MachinePrincipal extends AgentBase<'machine', null>, InOrganization {
  client_id: string;
  oauth_scopes: readonly string[];
}

/** Whoever may use MCP. */
export type AgentPrincipal =
  | ApiKeyPrincipal
  | OrganizationKeyPrincipal
  | ConnectionPrincipal
  | MachinePrincipal;

export type Principal = SessionPrincipal | AgentPrincipal;
export type CredentialKind = Principal['credential']['kind'];

/** Acts for a person, whose personal space it may reach. */
export type PersonalPrincipal = Extract<Principal, { person: string }>;

export const isSession = (principal: Principal): principal is SessionPrincipal =>
  principal.credential.kind === 'session';

/**
 * Returns the account whose personal space the principal works in; throws where it acts for no
 * person.
 */
export function personOf({ person }: Pick<Principal, 'person'>): string {
  if (person === null) throw new TypeError('The principal acts for no person.');
  return person;
}
