import type { Authz } from '../../authz/authz.ts';
import type { Principal } from '../../caller/principal.ts';
import type { UsedItem } from '../../content/content.ts';
import type { KeyUse } from '../../content/items/schema.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import type { DefaultAgents } from '../default-agents.ts';
import type { KeyOwner } from '../store.ts';
import { createViewedOwners } from '../viewed-owners.ts';
import { listKeysNaming } from './store.ts';

export interface KeyUsesDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'check'>;
  agents: Pick<DefaultAgents, 'agentsToShow'>;
}

// Each key may have to be decided, as in a page of the list of keys.
const MAX_KEYS = 200;

/** Creates the function that returns the keys that use an item, of those that the caller may view. */
export function createKeyUses({ database, authz, agents }: KeyUsesDependencies) {
  const viewedOwners = createViewedOwners({ authz });

  async function usesOf(caller: Principal, owner: KeyOwner, item: UsedItem): Promise<KeyUse[]> {
    const { family, id } = item;
    const rows = await listKeysNaming(database.pool, owner, { family, id, limit: MAX_KEYS });
    const assigned = rows.filter(({ default_agent_id }) => default_agent_id === id);
    const shown = assigned.length === 0 ? new Map() : await agents.agentsToShow(caller, assigned);
    if (shown === null) throw unavailable('which default agents are available is unknown');
    return rows.flatMap((row) => {
      // An unavailable default agent is not identified (K3).
      const isAssigned = row.default_agent_id === id && shown.has(row.id);
      const as = [
        ...(row.in_policy ? (['policy'] as const) : []),
        ...(isAssigned ? (['default_agent'] as const) : []),
      ];
      const { name, organization_id } = row;
      return as.length === 0 ? [] : [{ id: row.id, name, organization_id, as }];
    });
  }

  return async function keysUsing(caller: Principal, item: UsedItem): Promise<KeyUse[]> {
    const uses: KeyUse[] = [];
    for (const owner of await viewedOwners(caller, item.space))
      uses.push(...(await usesOf(caller, owner, item)));
    return uses.slice(0, MAX_KEYS);
  };
}
