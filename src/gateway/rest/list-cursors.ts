import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import type { Reply, Route } from '../../caller/route.ts';
import type { Cursors } from '../../platform/http/cursors.ts';
import { invalidCursor, isPageQuery } from '../../platform/http/pages.ts';

/** A request to a list: its route, who makes it, and the validated parameters of its path. */
interface ListRequest {
  route: Route;
  caller: Principal | null;
  params: unknown;
}

/**
 * Binds the cursors of lists to the list and to the person, or to the credential of a request
 * without a session: any other cursor gets 400.
 */
export function createListCursors(cursors: Cursors) {
  return {
    /** Returns the query for the handler; throws 400 unless its cursor is of this list and caller. */
    openQuery(request: ListRequest, query: unknown): unknown {
      if (!isPageQuery(request.route.query)) return query;
      const { cursor } = query as { cursor?: string };
      if (cursor === undefined) return query;
      const position = cursors.open(listOf(request), callerOf(request), cursor);
      if (position === null) throw invalidCursor();
      return { ...(query as object), cursor: position };
    },
    /** Returns the reply for the client. */
    sealReply(request: ListRequest, reply: Reply): Reply {
      if (!isPageQuery(request.route.query)) return reply;
      const { next_cursor = null } = (reply.body ?? {}) as { next_cursor?: string | null };
      if (next_cursor === null) return reply;
      const sealed = cursors.seal(listOf(request), callerOf(request), next_cursor);
      return { ...reply, body: { ...(reply.body as object), next_cursor: sealed } };
    },
  };
}

const listOf = ({ route, params }: ListRequest) =>
  JSON.stringify([route.operation_id, params ?? null]);

const callerOf = ({ caller }: ListRequest): string => {
  if (caller === null) return '';
  return isSession(caller) ? caller.person : caller.credential.id;
};
