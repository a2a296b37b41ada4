import { isSession } from './principal.ts';
import type { CredentialKind, Principal } from './principal.ts';
import type { RequestFacts } from './route.ts';
import type { ScopeState } from './scope.ts';

/** Who changed something; audit and outbox never leave it out: tamper evidence needs a name. */
export interface Actor {
  kind: 'user' | 'system' | Exclude<CredentialKind, 'session'>;
  id: string | null;
  /** The session or key that asked; null where none was shown. */
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

/** Who asks for a change, and the scopes the decision to allow it stood on; null: no decision did. */
export interface Authority {
  actor: Actor;
  basis: readonly ScopeState[] | null;
}

/** Returns the authority of a principal's request, which was decided on the scopes it brought. */
export const authorityOf = (
  principal: Principal,
  request: Pick<RequestFacts, 'id' | 'address'>,
): Authority => ({ actor: actorOf(principal, request), basis: principal.scopes });

/** Somebody who shows no credential yet: a form, a link, a sign-in. Null: it is not known who. */
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

/** The service itself, or an operator at its machine. */
export const systemActor: Actor = {
  kind: 'system',
  id: null,
  credential_id: null,
  request_id: null,
  address: null,
};

/** Work of the service itself, which nobody decided to allow. */
export const systemAuthority: Authority = { actor: systemActor, basis: null };
