import { isSession } from './principal.ts';
import type { CredentialKind, Principal } from './principal.ts';
import type { Confirm } from './progress.ts';
import type { RequestFacts } from './route.ts';
import type { ScopeState } from './scope.ts';

/**
 * The author of a change. Every audit and outbox entry has one, so that each change can be
 * attributed.
 */
export interface Actor {
  kind: 'user' | 'system' | 'scim_token' | Exclude<CredentialKind, 'session'>;
  id: string | null;
  /** The session or key of the request; null if it had none. */
  credential_id: string | null;
  request_id: string | null;
  address: string | null;
}

/** Returns the actor of a principal's request; a session acts as its person. */
export const actorOf = (
  principal: Principal,
  request: Pick<RequestFacts, 'id' | 'address'>,
): Actor => ({
  ...(isSession(principal)
    ? { kind: 'user', id: principal.person }
    : { kind: principal.credential.kind, id: principal.credential.id }),
  credential_id: principal.credential.id,
  request_id: request.id,
  address: request.address,
});

/**
 * The author of a change, and the scopes on which the decision to allow it was based; null if no
 * decision was needed. A change of a job must also be confirmed.
 */
export interface Authority {
  actor: Actor;
  basis: readonly ScopeState[] | null;
  confirm?: Confirm;
}

/** Returns the authority of a principal's request, based on the principal's scopes. */
export const authorityOf = (
  principal: Principal,
  request: Pick<RequestFacts, 'id' | 'address' | 'confirm'>,
): Authority => ({
  actor: actorOf(principal, request),
  basis: principal.scopes,
  ...(request.confirm && { confirm: request.confirm }),
});

/**
 * Returns the actor of a request without a credential: a form, a link, a sign-in. A null account
 * means that the person is unknown.
 */
export const personActor = (
  accountId: string | null,
  request: RequestFacts,
  sessionId: string | null = null,
): Actor => ({
  kind: 'user',
  id: accountId,
  credential_id: sessionId,
  request_id: request.id,
  address: request.address,
});

/** The service itself, or an operator on its machine. */
export const systemActor: Actor = {
  kind: 'system',
  id: null,
  credential_id: null,
  request_id: null,
  address: null,
};

/** Authority of the service's own work, which needs no decision to allow it. */
export const systemAuthority: Authority = { actor: systemActor, basis: null };
