import type { Authz } from '../../../authz/authz.ts';
import type { QuotaOwner, SessionPrincipal } from '../../../caller/principal.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Database, Transaction } from '../../../platform/postgres/database.ts';
import { absent } from '../../../platform/errors/refusal.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import type { Space } from '../../spaces/space.ts';
import { findUpstream } from '../store.ts';
import { addressesAt, clientMetadata } from './client.ts';
import { createComplete } from './complete.ts';
import type { Completed, ConnectingAuthority } from './complete.ts';
import { createConnect } from './connect.ts';
import { createConnections } from './connections.ts';
import type { MayManage } from './connections.ts';
import { createDiscovery } from './discovery.ts';
import { createOpenIdFetch } from '../../../platform/outbound/openid-fetch.ts';
import type { AuthorizationResponse, ConnectionRecord, RedirectParameters } from './schema.ts';
import { createSealed } from './sealed.ts';
import { createOAuthSettings } from './settings.ts';
import { sweepFlows } from './store.ts';
import { createAuthorized } from './tokens/authorized.ts';
import { createRefresh } from './tokens/refresh.ts';
import { createAuthorizationRequired } from './tokens/required.ts';
import { createRevocation } from './tokens/revoke.ts';

export interface UpstreamOAuthDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'edit'>;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>;
  outbound: Pick<Outbound, 'check' | 'fetch' | 'open'>;
  config: Pick<Config, 'PUBLIC_URL' | 'DASHBOARD_URL'>;
  limitDiscovery(quota_owner: QuotaOwner): Promise<void>;
  log: Pick<Log, 'warn'>;
}

/** The gateway as an OAuth client of upstream MCP servers. */
export function createUpstreamOAuth(dependencies: UpstreamOAuthDependencies) {
  const { database, authz, config, outbound, limitDiscovery } = dependencies;
  const { pool } = database;
  const sealed = createSealed(dependencies.secrets);
  const fetch = createOpenIdFetch(outbound);
  const own = addressesAt(config.PUBLIC_URL);
  const settings = createOAuthSettings(sealed);
  const revocation = createRevocation({ pool, sealed, fetch, log: dependencies.log });
  const { revoke, runSoon: revokeSoon } = revocation;
  const authorizationRequired = createAuthorizationRequired(pool, config.DASHBOARD_URL);
  const shared = { pool, authz, sealed, fetch, own };
  const connect = createConnect({ ...shared, discover: createDiscovery(outbound) });
  const complete = createComplete({ ...shared, revoke, revokeSoon, requireUnchanged });
  const connections = createConnections({ pool, authz, settings, revokeSoon });
  const refresh = createRefresh({ pool, sealed, fetch, revoke });

  return {
    settings,
    revocation,
    runAuthorized: createAuthorized({ sealed, refresh, authorizationRequired }),
    ...connections,

    async connect(caller: SessionPrincipal, space: Space, id: string, mayManage: MayManage) {
      const row = await connections.getConnectable(space, id, mayManage);
      await limitDiscovery(space.quota_owner);
      await sweepFlows(pool);
      return connect(caller, { id, url: row.url, connection: row.oauth.connection });
    },

    async complete(
      caller: SessionPrincipal,
      { space, id, response }: { space: Space; id: string; response: AuthorizationResponse },
      { mayManage, ...sent }: ConnectingAuthority & { mayManage: MayManage },
    ): Promise<ConnectionRecord> {
      const { url, oauth } = await connections.getConnectable(space, id, mayManage);
      const upstream = { id, space_id: space.id, url, connection: oauth.connection };
      const authority = {
        ...sent,
        async renew() {
          const renewed = await sent.renew();
          // The access of the route says nothing about who may connect a shared account.
          await connections.getConnectable(space, id, mayManage);
          return renewed;
        },
      };
      await complete(caller, space, { upstream, response }, authority);
      return connections.connection(caller, space.id, id, mayManage);
    },

    /** Returns the page of the dashboard that completes what an authorization server responded. */
    returnUrl(parameters: RedirectParameters): string {
      const sent = Object.entries(parameters).filter(([, value]) => value !== undefined);
      const fragment = new URLSearchParams(sent as [string, string][]).toString();
      return `${config.DASHBOARD_URL}/app/connect-server#${fragment}`;
    },

    /** Returns the client metadata document; it exists only where its address is https. */
    clientDocument() {
      if (own.document === null) throw absent('a client metadata document needs an https address');
      return {
        client_id: own.document,
        ...clientMetadata(own),
        token_endpoint_auth_method: 'none',
      };
    },
  };
}
export type UpstreamOAuth = ReturnType<typeof createUpstreamOAuth>;

async function requireUnchanged(
  transaction: Transaction,
  { id, space_id, url, connection }: Completed['upstream'],
  issuer: string,
): Promise<void> {
  const row = await findUpstream(transaction, { space_id, id });
  if (row?.url !== url || row.oauth?.connection !== connection || row.oauth.issuer !== issuer)
    throw absent('the upstream was changed meanwhile');
}
