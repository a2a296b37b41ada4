import type { Accounts } from './accounts/accounts.ts';
import type { Project } from './authz/authz.ts';
import type { DriftDependencies } from './authz/drift.ts';
import { platformTuples } from './authz/system-roles.ts';
import type { Keys } from './keys/keys.ts';

/** The modules whose rows stand behind tuples. */
interface Projected {
  accounts: Pick<Accounts, 'project'>;
  keys: Pick<Keys, 'project' | 'liveIds'>;
}

/** What OpenFGA is to know of a unit; `modules` is asked for late, as they need authz first. */
export const projectOf =
  (modules: () => Projected): Project =>
  (connection, unit) => {
    const projections = {
      platform: async () => platformTuples().flat(),
      account: () => modules().accounts.project(connection, unit.id),
      api_key: () => modules().keys.project(connection, unit.id),
    } satisfies Record<typeof unit.type, () => Promise<unknown>>;
    return projections[unit.type]();
  };

/** Whose tuples a scope holds, and on which objects they stand: the drift check's whole. */
export const unitsOf =
  (modules: () => Projected): DriftDependencies['unitsOf'] =>
  async (connection, scope) => {
    switch (scope.kind) {
      case 'platform': {
        const objects = platformTuples()
          .flat()
          .map((tuple) => tuple.object);
        return { units: [{ type: 'platform', id: scope.id }], objects: [...new Set(objects)] };
      }
      case 'account': {
        const ids = await modules().keys.liveIds(connection, scope.id);
        const keys = ids.map((id) => ({ type: 'api_key', id }) as const);
        const account = { type: 'account', id: scope.id } as const;
        return { units: [account, ...keys], objects: [`account:${scope.id}`] };
      }
      case 'organization':
      case 'membership':
      case 'service':
        break;
    }
    throw new TypeError(`No rows stand behind ${scope.kind}.`);
  };
