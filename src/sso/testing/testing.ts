import { readReturnPath } from '../../accounts/providers/providers.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { Connections } from '../connections/connections.ts';
import type { ConnectionParams, TestDraft } from '../connections/schema.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { requirePlan } from '../refusals.ts';
import { insertTestLink } from './store.ts';

/** Creates the function that returns the link with which a person tests a connection. */
export function createTesting({
  database,
  config,
  connections,
}: Pick<SsoDependencies, 'database' | 'config'> & { connections: Connections }) {
  return async function test(caller: SessionPrincipal, params: ConnectionParams, draft: TestDraft) {
    const { id } = await connections.get(params);
    requirePlan(caller);
    const token = newToken();
    await insertTestLink(database.pool, {
      ...{ connection_id: id, account_id: caller.person, token_hash: hashSecret(token) },
      return_path: readReturnPath(draft.return_path, config.DASHBOARD_URL),
    });
    return { url: `${config.PUBLIC_URL}/api/auth/sso/${id}/start?test=${token}` };
  };
}
export type Testing = ReturnType<typeof createTesting>;
