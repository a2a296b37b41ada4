import type { Save } from '../../caller/once.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { MEMBER_ROLE } from '../../organizations/organizations.ts';
import { unprocessable } from '../../platform/errors/refusal.ts';
import { newId } from '../../platform/ids.ts';
import { editOf, requireOrganization } from '../change.ts';
import { requirePlan } from '../refusals.ts';
import { identificationOf } from './configuration.ts';
import type { WritingDependencies } from './dependencies.ts';
import { auditedOf, withoutRepeats } from './record.ts';
import type { ConnectionDraft } from './schema.ts';
import { countConnections, saveConnection } from './store.ts';
import type { WrittenConnection } from './store.ts';

export type NewConnection = Pick<WrittenConnection, 'id'>;

const MAX_CONNECTIONS = 10;

/** Creates the function that saves a new connection, and returns its id. */
export function createConnectionCreation({ authz, guard, seal }: WritingDependencies) {
  return async function create(
    caller: SessionPrincipal,
    organization_id: string,
    draft: ConnectionDraft,
    request: RequestFacts,
    save: Save<NewConnection>,
  ): Promise<NewConnection> {
    requirePlan(caller);
    const id = newId();
    const written: WrittenConnection = {
      ...{ id, organization_id, name: draft.name, ...identificationOf(draft) },
      secret:
        draft.protocol === 'oidc' ? seal({ id, organization_id }, draft.oidc.client_secret) : null,
      role_ids: [...new Set(draft.role_ids ?? [MEMBER_ROLE])],
      seats: draft.teams.map(withoutRepeats),
      configured_by: caller.person,
      may_link: await guard.isAdmin(caller),
    };
    await guard.requireGivable(caller, written, { role_ids: [], seats: [] });
    return authz.edit({
      ...editOf(caller, organization_id, request),
      reason: 'sso_connection.create',
      targets: [{ type: 'sso_connection', id }],
      async work(transaction) {
        await requireOrganization(transaction, organization_id);
        if ((await countConnections(transaction, organization_id)) >= MAX_CONNECTIONS)
          throw tooManyConnections();
        await saveConnection(transaction, written);
        return save(transaction, { id });
      },
      detail: () => ({ after: auditedOf(written) }),
    });
  };
}

const tooManyConnections = () =>
  unprocessable(
    'limit_reached',
    `An organization can have at most ${MAX_CONNECTIONS} connections.`,
  );
