import { LRUCache } from 'lru-cache';
import type { AgentPrincipal } from '../../../caller/principal.ts';
import type { Session } from './session.ts';
import type { SessionLookup, Sessions } from './sessions.ts';

/** Finds the session of a request, in no round trip where another script asks for it anyway. */
export interface KnownSessions {
  find(
    caller: AgentPrincipal,
    id: string,
    how: { version: string | null; isAskedLater: boolean },
  ): Promise<SessionLookup> | SessionLookup;
}

// Each may hold 16 KB of what its client said of itself: 32 MB at the worst.
const KNOWN = 2_000;

/** What a session was made with never changes; whether it still is, is asked for each request. */
export function createKnownSessions(sessions: Sessions): KnownSessions {
  const known = new LRUCache<string, Session>({ max: KNOWN });

  async function ask(
    caller: AgentPrincipal,
    id: string,
    version: string | null,
  ): Promise<SessionLookup> {
    const found = await sessions.use(caller, id, version);
    if ('session' in found) known.set(id, found.session);
    return found;
  }

  return {
    find(caller, id, { version, isAskedLater }) {
      const cached = known.get(id);
      if (isAskedLater && cached?.credential === caller.credential.id) return { session: cached };
      return ask(caller, id, version);
    },
  };
}
