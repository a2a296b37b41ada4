import type { AgentPrincipal } from '../../caller/principal.ts';

/** Redis key names without the global prefix; `{…}` keeps one owner's in one slot of a cluster. */
const ownerKey = (caller: AgentPrincipal) =>
  `mcp:{${caller.quota_owner.kind}:${caller.quota_owner.id}}`;
export const sessionKey = (caller: AgentPrincipal, id: string) => `${ownerKey(caller)}:s:${id}`;
/** The sessions of a credential. */
export const sessionsKey = (caller: AgentPrincipal) =>
  `${ownerKey(caller)}:c:${caller.credential.id}`;
/** The `subscriptions/listen` a credential has open, each with how many resources it watches. */
export const listensKey = (caller: AgentPrincipal) =>
  `${ownerKey(caller)}:l:${caller.credential.id}`;
/** What a credential subscribed to, in all its sessions. */
export const watchesKey = (caller: AgentPrincipal) =>
  `${ownerKey(caller)}:w:${caller.credential.id}`;

/** Watched in sessions and by listen streams together (mcp.md 11). */
export const RESOURCES_PER_CREDENTIAL = 200;
