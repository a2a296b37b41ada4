import { LRUCache } from 'lru-cache';
import type { AgentPrincipal } from '../../../caller/principal.ts';
import type { Session } from './session.ts';
import type { SessionLookup, Sessions } from './sessions.ts';

/** Finds the session of a request, without a round trip if a later script checks it anyway. */
export interface SessionCache {
  find(
    caller: AgentPrincipal,
    id: string,
    options: { version: string | null; isCheckedLater: boolean },
  ): Promise<SessionLookup> | SessionLookup;
}

// Each session may have 16 KB of client info, so the cache takes at most 32 MB.
const MAX_SESSIONS = 2_000;

/** Creates a cache of immutable session data; each request still checks that the session exists. */
export function createSessionCache(sessions: Sessions): SessionCache {
  const known = new LRUCache<string, Session>({ max: MAX_SESSIONS });

  async function read(
    caller: AgentPrincipal,
    id: string,
    version: string | null,
  ): Promise<SessionLookup> {
    const found = await sessions.use(caller, id, version);
    if ('session' in found) known.set(id, found.session);
    return found;
  }

  return {
    find(caller, id, { version, isCheckedLater }) {
      const cached = known.get(id);
      if (isCheckedLater && cached?.credential === caller.credential.id) return { session: cached };
      return read(caller, id, version);
    },
  };
}
