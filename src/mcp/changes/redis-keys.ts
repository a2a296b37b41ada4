import type { AgentPrincipal } from '../../caller/principal.ts';

/** Prefix of an owner's keys, after the global one; the hash tag keeps them in one cluster slot. */
const ownerKey = (caller: AgentPrincipal) =>
  `mcp:{${caller.quota_owner.kind}:${caller.quota_owner.id}}`;
/** Key of a session. The id comes from a header: encoded, it cannot name a key below a session's. */
export const sessionKey = (caller: AgentPrincipal, id: string) =>
  `${ownerKey(caller)}:s:${encodeURIComponent(id)}`;
/** Key of the sessions of a credential. */
export const sessionsKey = (caller: AgentPrincipal) =>
  `${ownerKey(caller)}:c:${caller.credential.id}`;
/** Key of a credential's open `subscriptions/listen` streams and their numbers of resources. */
export const listensKey = (caller: AgentPrincipal) =>
  `${ownerKey(caller)}:l:${caller.credential.id}`;
/** Key of the resource subscriptions in all sessions of a credential. */
export const watchesKey = (caller: AgentPrincipal) =>
  `${ownerKey(caller)}:w:${caller.credential.id}`;

/** Limit of resources watched in sessions and by listen streams together (mcp.md 11). */
export const RESOURCES_PER_CREDENTIAL = 200;
