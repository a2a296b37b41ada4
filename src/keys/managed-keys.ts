import type { Principal, SessionPrincipal } from '../caller/principal.ts';
import { toPage } from '../platform/http/pages.ts';
import type { Page, PageQuery } from '../platform/http/pages.ts';
import { createDefaultAgents } from './default-agents.ts';
import type { ShownAgents } from './default-agents.ts';
import { createKeyExplain } from './explain.ts';
import type { ExplainTarget } from './explain.ts';
import { createDelegationRules } from './delegated.ts';
import { createGuards } from './guards.ts';
import type { KeysDependencies } from './dependencies.ts';
import { createInspection } from './inspection.ts';
import { createKnownItems } from './known-items.ts';
import { createKeyManagement } from './manage.ts';
import { createNamedItems } from './named-items.ts';
import { createPreview } from './preview.ts';
import { countFitting, recordsOf, teamsOf } from './record.ts';
import type { ShowKey } from './record.ts';
import type { KeyRecord } from './schema.ts';
import { listKeys } from './store.ts';
import type { KeyId, KeyOwner, KeyRow } from './store.ts';

export type ManagedKeys = ReturnType<typeof createManagedKeys>;

/** Creates the operations on people's keys and on organizations' keys. */
export function createManagedKeys(dependencies: KeysDependencies) {
  const { database, authz, visibility, limits, credentials, organizations } = dependencies;
  const { delegation, teams } = organizations;
  const { pool } = database;
  const guards = createGuards({ database });
  const agents = createDefaultAgents({ visibility, credentials, delegation, teams });
  const namedProblems = createNamedItems(dependencies);
  const explainKey = createKeyExplain({ authz, visibility, limits, credentials });
  const knownTo = createKnownItems({ authz, visibility, delegation, teams });
  const { limitExplain } = dependencies;
  const inspection = createInspection({
    ...{ visibility, credentials, explainKey, knownTo, limitExplain },
  });
  const checkDelegated = createDelegationRules({ delegation });
  const recordOf = async (row: KeyRow, shownAgents: ShownAgents): Promise<KeyRecord> => {
    const [record] = await recordsOf(pool, [row], await teamsOf(pool, [row]), shownAgents);
    return record!;
  };
  const show: ShowKey = async (caller, row) =>
    recordOf(row, await agents.agentsToShow(caller, [row]));
  const showSaved: ShowKey = async (caller, row) =>
    recordOf(row, await agents.agentsOfSaved(caller, row));
  const validation = { database, guards, agents, namedProblems, checkDelegated };

  return {
    ...createKeyManagement({ authz, show, showSaved, ...validation }),
    preview: createPreview({ visibility, knownTo, ...validation }),
    explainKey,
    inspection,
    /** Explains a key to its owner, or to a member of its organization who may view it. */
    async explain(caller: SessionPrincipal, { id, owner }: KeyId, target: ExplainTarget) {
      const { runs_in } = await guards.getKey(owner, id);
      return inspection.explain(caller, { id, owner, runs_in }, target);
    },
    async list(caller: Principal, owner: KeyOwner, page: PageQuery): Promise<Page<KeyRecord>> {
      const rows = await listKeys(pool, owner, {
        limit: page.limit + 1,
        cursor: page.cursor ?? null,
      });
      const teamsByKey = await teamsOf(pool, rows);
      const limit = Math.min(page.limit, countFitting(rows, teamsByKey));
      const { data, next_cursor } = toPage(rows, { limit });
      const shownAgents = await agents.agentsToShow(caller, data);
      return { data: await recordsOf(pool, data, teamsByKey, shownAgents), next_cursor };
    },
    get: async (caller: Principal, { id, owner }: KeyId): Promise<KeyRecord> =>
      show(caller, await guards.getKey(owner, id)),
    /** Throws 404 unless the owner has this key. */
    require: ({ id, owner }: KeyId) => guards.getKey(owner, id),
  };
}
