import type { SessionPrincipal } from './principal.ts';
import type { Reauthentication, RequestFacts } from './route.ts';

/** Throws 403 unless the person reauthenticates, or 429 after too many wrong passwords. */
export type RequireReauthentication = (
  caller: SessionPrincipal,
  currentPassword: string | undefined,
  request: RequestFacts,
) => Promise<Reauthentication>;
