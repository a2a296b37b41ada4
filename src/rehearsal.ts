import type { Authz, Rehearsed } from './authz/authz.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { Content } from './content/content.ts';
import { readDesignated } from './content/selection/store.ts';
import { createContentsReader } from './content/spaces/spaces.ts';
import { createCredentialFinder } from './credentials/credentials.ts';
import { admittedView } from './keys/admitted-view.ts';
import { listTeamIdsOf } from './organizations/teams/seats/store.ts';
import { listPolicies } from './organizations/teams/store.ts';
import { policiesOf } from './policies/item-policies.ts';
import { hotQueriesIn } from './platform/postgres/database.ts';
import type { Database, Transaction } from './platform/postgres/database.ts';
import { createVisibility } from './visibility/visibility.ts';
import type { View, ViewsAround } from './visibility/visibility.ts';

interface RehearsalDependencies {
  authz: Pick<Authz, 'rehearse'>;
  catalog: Pick<Catalog, 'tools' | 'prompts' | 'version'>;
  content: Pick<Content, 'runnable'>;
}

/**
 * Creates the function that returns what credentials would see: their views, built like those of
 * requests, from the rows of a transaction in which the change was made.
 */
export const createViewsAround =
  ({ authz, catalog, content }: RehearsalDependencies): ViewsAround =>
  (requested, ids) =>
    authz.rehearse(requested, async (transaction, decisions) => {
      const { runnable } = content;
      const visibility = visibilityIn(transaction, decisions, { catalog, runnable });
      const credentials = await createCredentialFinder(hotQueriesIn(transaction))(ids);
      const views = new Map<string, View>();
      // One after another: they share one connection.
      for (const [id, credential] of credentials)
        views.set(id, await admittedView(credential, visibility.fullView));
      return views;
    });

/** Creates `visibility` over the rows as a transaction sees them now. */
function visibilityIn(
  transaction: Transaction,
  authz: Rehearsed,
  parts: Pick<RehearsalDependencies, 'catalog'> & Pick<Content, 'runnable'>,
) {
  // Rows are read once for all credentials.
  const database = { pool: transaction } as unknown as Pick<Database, 'pool'>;
  return createVisibility({
    ...{ ...parts, authz, cached: false },
    readContents: once(createContentsReader({ database })),
    organizations: {
      exposure: once(async (id) => {
        const { tools, platform_prompts } = await readDesignated(transaction, id);
        const teams = await listPolicies(transaction, id);
        return {
          designated: tools.union(platform_prompts),
          teams: teams.map(({ id: team, name, ...stored }) => ({
            ...{ id: team, name, policies: policiesOf(stored) },
          })),
        };
      }),
      seatsOf: (id) => listTeamIdsOf(transaction, id),
    },
  });
}

/** Reads each value once. */
function once<Value>(read: (id: string) => Promise<Value>): (id: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (id) => {
    const value = known.get(id) ?? read(id);
    known.set(id, value);
    return value;
  };
}
