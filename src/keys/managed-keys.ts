import type { Principal, SessionPrincipal } from '../caller/principal.ts';
import { toRowsPage } from '../platform/postgres/sorted-rows.ts';
import type { Page } from '../platform/http/pages.ts';
import { createDefaultAgents } from './default-agents.ts';
import type { ShownAgents } from './default-agents.ts';
import { createKeyExplain } from './explain.ts';
import type { ExplainTarget } from './explain.ts';
import { createDelegationRules } from './delegated.ts';
import { createEditPreview } from './edit-preview.ts';
import { createGuards } from './guards.ts';
import type { KeysDependencies } from './dependencies.ts';
import { createInspection } from './inspection.ts';
import { createKnownItems } from './known-items.ts';
import { createKeyManagement } from './manage.ts';
import { createNamedItems } from './named-items.ts';
import { createPreview } from './preview.ts';
import { createShownItems } from './shown-items.ts';
import { countFitting, recordsOf, teamsOf } from './record.ts';
import type { ShowKey } from './record.ts';
import type { KeyRecord, Preview, PreviewPage } from './schema.ts';
import { listKeys } from './list-keys.ts';
import type { KeyListQuery } from './list-keys.ts';
import { createKeyUses } from './uses/uses.ts';
import type { KeyId, KeyOwner, KeyRow } from './store.ts';

export type ManagedKeys = ReturnType<typeof createManagedKeys>;

/** What a key sees, and what it was granted. */
export interface PreviewedKey extends Pick<KeyRow, 'grants' | 'mcp_capabilities'> {
  seen: Preview;
}

/** Creates the operations on people's keys and on organizations' keys. */
export function createManagedKeys(dependencies: KeysDependencies) {
  const { database, authz, visibility, limits, credentials, organizations } = dependencies;
  const { delegation, teams } = organizations;
  const { pool } = database;
  const guards = createGuards({ database });
  const agents = createDefaultAgents({ visibility, credentials, delegation, teams });
  const namedProblems = createNamedItems(dependencies);
  const { explain: explainKey, stepsOf } = createKeyExplain({
    authz,
    visibility,
    limits,
    credentials,
  });
  const knownTo = createKnownItems({ authz, visibility, delegation, teams });
  const { limitExplain, listTokens, viewsAround, admitPreview, config } = dependencies;
  const shownIn = createShownItems({ visibility, listTokens, dashboardUrl: config.DASHBOARD_URL });
  const inspection = createInspection({
    ...{ visibility, credentials, explainKey, knownTo, limitExplain, shownIn },
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

  const management = createKeyManagement({ authz, show, showSaved, ...validation });
  const { requestUpdate } = management;

  return {
    ...management,
    previewEdit: createEditPreview({
      ...{ guards, requestUpdate, viewsAround, admitPreview, visibility, knownTo, shownIn },
    }),
    previewDraft: createPreview({ visibility, knownTo, shownIn, ...validation }),
    explainKey,
    stepsOf,
    inspection,
    ...{ knownTo, shownIn },
    using: createKeyUses({ database, authz, agents }),
    /** Explains a key to its owner, or to a member of its organization who may view it. */
    async explain(caller: SessionPrincipal, { id, owner }: KeyId, target: ExplainTarget) {
      const { runs_in } = await guards.getKey(owner, id);
      return inspection.explain(caller, { id, owner, runs_in }, target);
    },
    /** Returns what a key sees now, to those who may explain it. */
    async preview(
      caller: SessionPrincipal,
      { id, owner }: KeyId,
      page: PreviewPage | null,
    ): Promise<PreviewedKey> {
      const { runs_in, grants, mcp_capabilities } = await guards.getKey(owner, id);
      const key = { id, owner, runs_in, page: `keys/${id}`, declared: mcp_capabilities };
      return { grants, mcp_capabilities, seen: await inspection.preview(caller, key, page) };
    },
    async list(caller: Principal, owner: KeyOwner, query: KeyListQuery): Promise<Page<KeyRecord>> {
      const rows = await listKeys(pool, owner, query);
      const teamsByKey = await teamsOf(pool, rows);
      const limit = Math.min(query.limit, countFitting(rows, teamsByKey));
      const { data, next_cursor } = toRowsPage(rows, { limit });
      const shownAgents = await agents.agentsToShow(caller, data);
      return { data: await recordsOf(pool, data, teamsByKey, shownAgents), next_cursor };
    },
    get: async (caller: Principal, { id, owner }: KeyId): Promise<KeyRecord> =>
      show(caller, await guards.getKey(owner, id)),
    /** Throws 404 unless the owner has this key. */
    require: ({ id, owner }: KeyId) => guards.getKey(owner, id),
  };
}
