import type { Authority } from '../../caller/actor.ts';
import type { Principal, SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
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
import type { ClientDraft, ClientEdit, ClientRecord, CreatedClient } from './schema.ts';
import { secretMatches } from './secrets/secrets.ts';
import { exportClients, findClient, findClientById, listClients } from './store.ts';
import type { ClientId, ClientOwner, OAuthClient } from './store.ts';

export type { ClientsDependencies } from './dependencies.ts';
export { isRegisteredUri } from './redirect-uri.ts';
export type { ClientId, ClientOwner, OAuthClient } from './store.ts';

/** Operations on OAuth clients, for the authorization server and over REST. */
export interface Clients {
  /** Returns a client as it is now, even if disabled; null if it does not exist. */
  find(id: string): Promise<OAuthClient | null>;
  /** Returns whether this is a secret of the client, and records its use. */
  secretMatches(client_id: string, secret: string): Promise<boolean>;
  list(caller: Principal, owner: ClientOwner, query: ListQuery): Promise<Page<ClientRecord>>;
  get(caller: Principal, client: ClientId): Promise<ClientRecord>;
  /** Throws 404 unless the owner has this client. */
  require(client: ClientId): Promise<OAuthClient>;
  create(
    caller: SessionPrincipal,
    owner: ClientOwner,
    draft: ClientDraft,
    request: RequestFacts,
  ): Promise<CreatedClient>;
  update(
    caller: Principal,
    client: ClientId,
    edit: ClientEdit,
    request: RequestFacts,
  ): Promise<ClientRecord>;
  /** Deletes a client and ends its connections; they are refused from then on. */
  delete(client: ClientId, authority: Authority): Promise<void>;
  secrets: ReturnType<typeof createSecretRotation>;
  /** Yields a person's own clients, without secrets, for the account export. */
  exportOf: typeof exportClients;
}

export function createClients(dependencies: ClientsDependencies): Clients {
  const { config, database } = dependencies;
  const { pool } = database;
  const removal = createRemoval(dependencies);
  const { recordsOf, recordOf } = createClientRecords(dependencies);

  async function require(client: ClientId): Promise<OAuthClient> {
    const found = await findClient(pool, client);
    if (found === null) throw absent();
    return found;
  }

  return {
    async find(id) {
      const found = await findClientById(pool, id);
      return found === null ? null : located(found, config.DASHBOARD_URL);
    },
    secretMatches: (client_id, secret) => secretMatches(pool, client_id, secret),
    async list(caller, owner, query) {
      const rows = await listClients(pool, owner, query);
      const { data, next_cursor } = toRowsPage(rows, query);
      return { data: await recordsOf(caller, data), next_cursor };
    },
    get: async (caller, client) => recordOf(caller, await require(client)),
    require,
    create: createRegistration(dependencies),
    update: createEditing({ ...dependencies, ...removal }),
    delete: removal.remove,
    secrets: createSecretRotation(dependencies),
    exportOf: exportClients,
  };
}

/** Returns a client with whole redirect URIs: a built-in one stores paths of the dashboard. */
const located = (client: OAuthClient, dashboardUrl: string): OAuthClient =>
  client.owner.kind === 'service'
    ? { ...client, redirect_uris: client.redirect_uris.map((path) => `${dashboardUrl}${path}`) }
    : client;
