import { createRetry } from '../../authz/authz.ts';
import { authenticatedBy } from '../../caller/principal.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Visibility } from '../../visibility/visibility.ts';
import type { WatchDependencies } from './watches.ts';

const RETRY_MS = 10_000;

/**
 * Creates the view for the streams of a caller: one that has changed since it was read is read
 * again, as a request would authenticate again.
 */
export function createCurrentView(
  { view }: Pick<Visibility, 'view'>,
  reread: WatchDependencies['reread'],
): Visibility['view'] {
  const retry = createRetry();

  async function viewAgain(caller: AgentPrincipal) {
    const now = (await reread([caller])).get(authenticatedBy(caller));
    if (now == null) throw absent('the credential is no longer valid');
    return view(now);
  }
  return (caller) =>
    retry({
      attempt: () => view(caller),
      retry: () => viewAgain(caller),
      contended: null,
      until: performance.now() + RETRY_MS,
    });
}
