import { readReturnPath } from '../../accounts/providers/providers.ts';
import type { Principal } from '../../caller/principal.ts';
import { forbidden } from '../../platform/errors/refusal.ts';
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
  return async function test(caller: Principal, params: ConnectionParams, draft: TestDraft) {
    const { id } = await connections.get(params);
    requirePlan(caller);
    if (caller.person === null)
      throw forbidden(
        'permission_denied',
        'A key of the organization cannot test a connection. Test it in a session.',
        { detail: { permission: 'can_update_organization_sso' } },
      );
    const token = newToken();
    await insertTestLink(database.pool, {
      ...{ connection_id: id, account_id: caller.person, token_hash: hashSecret(token) },
      return_path: readReturnPath(draft.return_path, config.DASHBOARD_URL),
    });
    return { url: `${config.PUBLIC_URL}/api/auth/sso/${id}/start?test=${token}` };
  };
}
export type Testing = ReturnType<typeof createTesting>;
