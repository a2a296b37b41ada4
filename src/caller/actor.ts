import type { Caller } from './caller.ts';
import type { RequestFacts } from './route.ts';

/** Who changed something; audit and outbox never leave it out: tamper evidence needs a name. */
export interface Actor {
  kind: 'user' | 'api_key' | 'system';
  id: string | null;
  request_id: string | null;
  address: string | null;
}

export const actorOf = (caller: Caller, request: RequestFacts): Actor => ({
  kind: caller.kind === 'session' ? 'user' : 'api_key',
  id: caller.kind === 'session' ? caller.account_id : caller.key_id,
  request_id: request.id,
  address: request.address,
});

/** The service itself, or an operator at its machine. */
export const systemActor: Actor = { kind: 'system', id: null, request_id: null, address: null };
