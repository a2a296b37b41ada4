import type { PlanName } from '../platform/plans.ts';

export const capabilities = ['tools', 'resources', 'prompts', 'agents'] as const;
export type Capability = (typeof capabilities)[number];

export type ScopeKind = 'platform' | 'account' | 'organization' | 'membership' | 'service';
export interface ScopeRef {
  kind: ScopeKind;
  id: string;
}

/** One scope as the authentication query read it; `applied` behind `revision` is dirty. */
export interface ScopeState extends ScopeRef {
  revision: number;
  applied: number;
  /** New at each raise of `revision`: numbers come back after a restore, stamps do not. */
  stamp: string;
  /** Edits that lists and reads show, without a change of authority. */
  content: number;
}

/** Who is charged: rates and quota are per account or organization, never per key. */
export interface Owner {
  kind: 'account' | 'organization';
  id: string;
  plan: PlanName;
}

interface CallerBase {
  /** As OpenFGA knows it: `user:<account>`, `api_key:<key>`. */
  subject: string;
  /** From where it asks: `account:<account>`. */
  seat: string;
  account_id: string;
  owner: Owner;
  /** Every scope its decisions depend on; personal: the account's alone. */
  lane: readonly ScopeState[];
}

/** A person in a dashboard session; carries everything the person holds (G7). */
export interface SessionCaller extends CallerBase {
  kind: 'session';
  session_id: string;
  email: string;
  /** When the person last proved presence, ISO 8601. */
  auth_time: string;
}

export interface KeyCaller extends CallerBase {
  kind: 'api_key';
  key_id: string;
  /** The four policies of a personal key (K1), in the stored shapes of `policies/`. */
  tool_policy: unknown;
  resource_policy: unknown;
  prompt_policy: unknown;
  agent_policy: unknown;
  /** The agent assigned for primary tasks (K2), whether or not it can be had. */
  default_agent_id: string | null;
  /** The account asks that what its calls are sent is kept. */
  audit_arguments: boolean;
}

export type Caller = SessionCaller | KeyCaller;

/** The id that sessions, cursors and cached pages are bound to. */
export const credentialId = (caller: Caller): string =>
  caller.kind === 'session' ? caller.session_id : caller.key_id;

/** `account:0190…`: how events, locks and logs name a scope. */
export const scopeName = (scope: ScopeRef): string => `${scope.kind}:${scope.id}`;
