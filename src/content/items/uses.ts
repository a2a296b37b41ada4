import type { Authz } from '../../authz/authz.ts';
import type { Reference } from '../../platform/http/reference.ts';
import { MANAGES_EVERY_TEAM } from '../../authz/permissions.ts';
import { contextIn, teamSeatIn } from '../../caller/access.ts';
import { isSession } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Space } from '../spaces/space.ts';
import type { Family, ItemUses, KeyUse } from './schema.ts';
import { listAgentsNaming } from './store.ts';

/** An item whose uses are asked for; conditions name a resource by its path, which is its name. */
export interface UsedItem {
  space: Space;
  family: Family;
  id: string;
  name: string;
}

export interface ItemUsesDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'check'>;
  /** Returns the keys that use the item, of those that the caller may view. */
  keysUsing(caller: Principal, item: UsedItem): Promise<KeyUse[]>;
  /** Returns the teams whose policies name an item of a catalog, where the caller may view them. */
  teamsUsing(
    caller: Principal,
    item: Pick<UsedItem, 'family' | 'id'> & { organization_id: string },
  ): Promise<Reference[]>;
}

const MAX_AGENTS = 200;

/** Creates the function that returns what uses an item, as far as the caller may view it. */
export function createItemUses({ database, authz, keysUsing, teamsUsing }: ItemUsesDependencies) {
  const mayViewAgents = createMayViewAgents({ authz });

  async function agentsUsing(caller: Principal, item: UsedItem) {
    if (item.family !== 'agent' && !(await mayViewAgents(caller, item.space)))
      return { agents: [], count: 0 };
    const named = item.family === 'resource' ? item.name : item.id;
    const rows = await listAgentsNaming(database.pool, {
      ...{ space_id: item.space.id, except: item.id, limit: MAX_AGENTS },
      condition: { [item.family]: named },
    });
    return { agents: rows.map(({ id, name }) => ({ id, name })), count: rows[0]?.total ?? 0 };
  }

  return async function usesOf(caller: Principal, item: UsedItem): Promise<ItemUses> {
    const { space, family, id } = item;
    const [keys, teams, { agents, count }] = await Promise.all([
      keysUsing(caller, item),
      space.kind === 'organization'
        ? teamsUsing(caller, { organization_id: space.organization_id, family, id })
        : [],
      agentsUsing(caller, item),
    ]);
    const counts = { keys: keys.length, teams: teams.length, agents: count };
    return { keys, teams, agents, counts };
  };
}
export type FindUses = ReturnType<typeof createItemUses>;

const VIEWS_AGENTS = 'can_agents_read';

const createMayViewAgents = ({ authz }: Pick<ItemUsesDependencies, 'authz'>) =>
  /** Returns whether the caller may view the agent definitions of a space that it is in. */
  async function mayViewAgents(caller: Principal, space: Space): Promise<boolean> {
    const holds = async (relation: string, object: string | null) =>
      object !== null && (await authz.check(caller, [relation], object)).get(relation) === true;
    switch (space.kind) {
      case 'personal':
        return holds(VIEWS_AGENTS, contextIn('account', caller, {}));
      // Only its member gets here, in a session.
      case 'member':
        return true;
      case 'organization':
        return holds(VIEWS_AGENTS, contextIn('organization', caller, space));
      case 'team':
        return (
          (await holds(VIEWS_AGENTS, teamSeatIn(caller, space))) ||
          (isSession(caller) &&
            (await holds(MANAGES_EVERY_TEAM, contextIn('organization', caller, space))))
        );
      default:
        return space satisfies never;
    }
  };
