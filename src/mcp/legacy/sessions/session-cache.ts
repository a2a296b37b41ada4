import { LRUCache } from 'lru-cache';
import type { AgentPrincipal } from '../../../caller/principal.ts';
import type { Session } from './session.ts';
import type { SessionLookup, Sessions } from './sessions.ts';

// Each session may have 16 KB of client info, so the cache takes at most 32 MB.
const MAX_SESSIONS = 2_000;

/**
 * Creates a cache of immutable session data, which finds the session of a request without a round
 * trip if a later script checks it anyway; each request still checks that the session exists.
 */
export function createSessionCache(sessions: Sessions) {
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
    find(
      caller: AgentPrincipal,
      id: string,
      { version, isCheckedLater }: { version: string | null; isCheckedLater: boolean },
    ): Promise<SessionLookup> | SessionLookup {
      const cached = known.get(id);
      if (isCheckedLater && cached?.credential === caller.credential.id) return { session: cached };
      return read(caller, id, version);
    },
  };
}
