import { credentialId } from './caller.ts';
import type { Caller } from './caller.ts';
import type { RequestFacts } from './route.ts';

/** Who changed something; audit and outbox never leave it out: tamper evidence needs a name. */
export interface Actor {
  kind: 'user' | 'api_key' | 'system';
  id: string | null;
  /** The session or key that asked; null where none was shown. */
  credential_id: string | null;
  request_id: string | null;
  address: string | null;
}

export const actorOf = (caller: Caller, request: RequestFacts): Actor => ({
  kind: caller.kind === 'session' ? 'user' : 'api_key',
  id: caller.kind === 'session' ? caller.account_id : caller.key_id,
  credential_id: credentialId(caller),
  request_id: request.id,
  address: request.address,
});

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
