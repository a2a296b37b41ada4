import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { CookieNames } from './cookies.ts';
import type { Sessions } from './sessions.ts';

/** Returns who is signed in in a browser; null if no one is. Throws 503 if that cannot be checked. */
export type FindSignedIn = (
  request: Pick<RequestFacts, 'cookies'>,
) => Promise<SessionPrincipal | null>;

export const createFindSignedIn =
  ({ authenticate }: Pick<Sessions, 'authenticate'>, names: CookieNames): FindSignedIn =>
  async ({ cookies }) => {
    const token = cookies[names.session];
    if (token === undefined) return null;
    try {
      return await authenticate(token, null);
    } catch (error) {
      if (isRefusal(error) && error.kind === 'unauthenticated') return null;
      throw error;
    }
  };
