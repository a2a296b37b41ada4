import type { Principal } from '../../caller/principal.ts';
import type { NamedRequest, Route } from '../../caller/route.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { RefusalKind } from '../../platform/errors/refusal.ts';
import type { Decisions, Incoming } from './decisions.ts';

/** Unlike others, these say that the sender may not make a request. */
const DENIALS: ReadonlySet<RefusalKind> = new Set(['unauthenticated', 'forbidden', 'absent']);

/** Decides whether a sender may make another request now, by the access of its route. */
export function createMayRequest(
  routes: readonly Route[],
  { identifyLater, authorize }: Pick<Decisions, 'identifyLater' | 'authorize'>,
) {
  const operations = new Map(routes.map((route) => [route.operation_id, route]));
  return (
    { credentials, facts }: Pick<Incoming, 'credentials' | 'facts'>,
    sender: Principal | null,
  ) =>
    async ({ operation_id, params }: NamedRequest): Promise<boolean> => {
      const route = operations.get(operation_id);
      if (route === undefined || sender === null) return false;
      const caller = await identifyLater(route, { credentials, params, facts }, sender);
      try {
        await authorize(route, caller, { params });
        return true;
      } catch (error) {
        if (isRefusal(error) && DENIALS.has(error.kind)) return false;
        throw error;
      }
    };
}
