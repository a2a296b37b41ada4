import type { Principal } from '../../caller/principal.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { toRowsPage } from '../../platform/postgres/sorted-rows.ts';
import type { Page } from '../../platform/http/pages.ts';
import type { ClientsDependencies } from './dependencies.ts';
import { createEditing } from './editing.ts';
import { createClientRecords } from './record.ts';
import { createRegistration } from './registration.ts';
import { createRemoval } from './removal.ts';
import { createSecretRotation } from './rotation.ts';
import type { ClientRecord } from './schema.ts';
import { secretMatches } from './secrets/secrets.ts';
import { exportClients, findClient, findClientById, listClients } from './store.ts';
import type { ClientId, ClientOwner, OAuthClient } from './store.ts';

export type { ClientsDependencies } from './dependencies.ts';
export { isRegisteredUri } from './redirect-uri.ts';
export type { ClientId, ClientOwner, OAuthClient } from './store.ts';

/** Creates the operations on OAuth clients, for the authorization server and over REST. */
export function createClients(dependencies: ClientsDependencies) {
  const { config, database } = dependencies;
  const { pool } = database;
  const removal = createRemoval(dependencies);
  const { recordsOf, recordOf } = createClientRecords(dependencies);

  /** Throws 404 unless the owner has this client. */
  async function require(client: ClientId): Promise<OAuthClient> {
    const found = await findClient(pool, client);
    if (found === null) throw absent();
    return found;
  }

  return {
    /** Returns a client as it is now, even if disabled; null if it does not exist. */
    async find(id: string) {
      const found = await findClientById(pool, id);
      return found === null ? null : located(found, config.DASHBOARD_URL);
    },
    /** Returns whether this is a secret of the client, and records its use. */
    secretMatches: (client_id: string, secret: string) => secretMatches(pool, client_id, secret),
    async list(
      caller: Principal,
      owner: ClientOwner,
      query: ListQuery,
    ): Promise<Page<ClientRecord>> {
      const rows = await listClients(pool, owner, query);
      const { data, next_cursor } = toRowsPage(rows, query);
      return { data: await recordsOf(caller, data), next_cursor };
    },
    get: async (caller: Principal, client: ClientId) => recordOf(caller, await require(client)),
    require,
    create: createRegistration(dependencies),
    update: createEditing({ ...dependencies, ...removal }),
    /** Deletes a client and ends its connections; they are refused from then on. */
    delete: removal.remove,
    secrets: createSecretRotation(dependencies),
    /** Yields a person's own clients, without secrets, for the account export. */
    exportOf: exportClients,
  };
}
export type Clients = ReturnType<typeof createClients>;

/** Returns a client with whole redirect URIs: a built-in one stores paths of the dashboard. */
const located = (client: OAuthClient, dashboardUrl: string): OAuthClient =>
  client.owner.kind === 'service'
    ? { ...client, redirect_uris: client.redirect_uris.map((path) => `${dashboardUrl}${path}`) }
    : client;
