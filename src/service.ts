import { createAccounts } from './accounts/accounts.ts';
import type { Accounts, AccountsDependencies } from './accounts/accounts.ts';
import { noOrganizations } from './accounts/dependencies.ts';
import { accountPages } from './accounts/pages/pages.ts';
import { accountRoutes } from './accounts/routes.ts';
import { createAudit } from './audit/audit.ts';
import { auditRoutes } from './audit/routes.ts';
import { createAuthz } from './authz/authz.ts';
import { compareScopes } from './authz/drift.ts';
import type { Drift } from './authz/drift.ts';
import { personalGrantName } from './authz/permissions.ts';
import { systemActor } from './caller/actor.ts';
import { catalog as builtInCatalog } from './catalog/catalog.ts';
import type { Catalog } from './catalog/catalog.ts';
import { createComputers } from './catalog/computers.ts';
import { connect, disconnect, healthProbes } from './connections.ts';
import type { Connections } from './connections.ts';
import { selectionRoutes } from './content/selection/routes.ts';
import { createSelection } from './content/selection/selection.ts';
import { createAuthenticate } from './gateway/authenticate.ts';
import { credentialsOf } from './gateway/credentials.ts';
import { createGateway } from './gateway/gateway.ts';
import { homePage } from './gateway/home-page.ts';
import { registerHealth } from './gateway/health.ts';
import { createMetrics } from './gateway/metrics.ts';
import { registerProtectedResource } from './gateway/protected-resource.ts';
import { registerReference } from './gateway/reference.ts';
import { createKeys } from './keys/keys.ts';
import { keyRoutes } from './keys/routes.ts';
import { createFormLimits } from './limits/forms.ts';
import { createLimits } from './limits/limits.ts';
import { mailPagesOf } from './mail/dev-mail.ts';
import { createMail } from './mail/mail.ts';
import { serverInfoOf } from './mcp/advertised.ts';
import { createChanges } from './mcp/changes.ts';
import { createDigest } from './mcp/digests.ts';
import { createLegacyLeg } from './mcp/legacy/legacy.ts';
import type { LegacyDependencies } from './mcp/legacy/legacy.ts';
import { createMcp } from './mcp/mcp.ts';
import type { McpDependencies } from './mcp/mcp.ts';
import { projectOf, unitsOf } from './projection.ts';
import { systemClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { createOutbound } from './platform/outbound.ts';
import { createSecrets } from './platform/secrets.ts';
import { usageRoutes } from './usage/routes.ts';
import { createUsage } from './usage/usage.ts';
import { createVisibility } from './visibility/visibility.ts';

/** What tests bring instead of the real thing, and nothing else may. */
export interface ServiceOverrides {
  catalog?: Catalog;
  captcha?: NonNullable<AccountsDependencies['captcha']>;
  passwords?: NonNullable<AccountsDependencies['passwords']>;
  organizations?: AccountsDependencies['organizations'];
  mcp?: Pick<McpDependencies, 'extend'> & Pick<LegacyDependencies, 'capabilities' | 'timings'>;
}

export interface Service {
  listen(): Promise<void>;
  /** Compares every scope's tuples with its rows; `repair` mends what differs. */
  drift(options: { repair: boolean }): AsyncGenerator<Drift>;
  /** Takes an account out of use or gives it back, on every running gateway. */
  activate: Accounts['activate'];
  /** Drains: running calls get 20 seconds, streams end, what is buffered is written. */
  close(): Promise<void>;
}

const VERSION = '0.1.0';

/** The composition root: every part, lowest layer first, by plain calls. */
export async function createService(
  config: Config,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  const connections = await connect(config);
  try {
    return await compose(config, connections, overrides);
  } catch (error) {
    await disconnect(connections);
    throw error;
  }
}

async function compose(
  config: Config,
  connections: Connections,
  overrides: ServiceOverrides,
): Promise<Service> {
  const parts = createParts(config, connections, overrides);
  const { accounts, authz, keys, limits, mail, outbound, computers } = parts;
  const origins = new Set([config.PUBLIC_URL, config.DASHBOARD_URL]);
  const authentication = createAuthenticate({
    apiKey: keys.authenticate,
    session: accounts.sessions.authenticate,
    origins,
  });
  const metrics = createMetrics({
    token: config.METRICS_TOKEN,
    backlogSeconds: authz.backlogSeconds,
  });
  const mcp = createMcpPart(config, connections, {
    ...parts,
    authenticate: (request) =>
      authentication.authenticateMcp(credentialsOf(request, accounts.cookies.session)),
    observeCall: metrics.observeCall,
    more: overrides.mcp ?? {},
  });
  const app = await createApp(config, connections, {
    ...parts,
    ...{ authentication, origins, mcp, metrics },
  });

  return {
    async listen() {
      // A store that was restored closes all decisions until it is mended.
      await authz.requireStore().catch(() => {});
      // Calls that come before Redis is there would be limited by this process alone.
      await connections.redis.ready(1_000);
      authz.start();
      limits.start();
      accounts.start();
      mail.start(accounts.composers);
      mcp.legs.changes.start();
      await app.listen({ port: config.PORT, host: config.HOST });
    },
    activate: accounts.activate,
    drift: ({ repair }) =>
      compareScopes(
        {
          database: connections.appliersDatabase,
          engine: connections.engine,
          project: parts.project,
          unitsOf: unitsOf(() => parts),
          log: connections.log,
        },
        { repair, actor: systemActor },
      ),
    async close() {
      mcp.legs.changes.stop();
      await Promise.all([mcp.legs.legacy.stop(), app.close()]);
      accounts.stop();
      await Promise.all([authz.stop(), limits.stop(), keys.stop(), mail.stop()]);
      await Promise.all([computers.close(), outbound.close()]);
      await disconnect(connections);
    },
  };
}

/** Everything below the two wires, lowest layer first. */
function createParts(config: Config, connections: Connections, overrides: ServiceOverrides) {
  const { log, database, redis } = connections;
  const cached = config.AUTHZ_CACHE === 'on';
  const catalog = overrides.catalog ?? builtInCatalog;
  const secrets = createSecrets(config.SECRETS_KEY);
  const audit = createAudit(database);
  const outbound = createOutbound({ allow: config.OUTBOUND_ALLOW });
  const mail = createMail({ database, secrets, log, config });
  const limits = createLimits({ redis, database, plans: config.plans, log, clock: systemClock });
  const forms = createFormLimits({ redis, addresses: config.plans.addresses });
  // Tuples are projected by modules above authz, which are handed it in turn.
  const project = projectOf(() => ({ accounts, keys }));
  const authz = createAuthz({ ...connections, project, audit: audit.record, cached });
  const accounts = createAccounts({
    database,
    authz,
    mail,
    audit,
    secrets,
    outbound,
    config,
    limitForm: forms.take,
    forgiveForm: forms.giveBack,
    organizations: overrides.organizations ?? noOrganizations,
    exports: {
      keys: (connection, id, most) => keys.exportOf(connection, id, most),
      mcp_settings: (connection, id) => selection.exportOf(connection, id),
      usage: limits.exportOf,
      settings: (connection, id) => usage.exportOf(connection, id),
      audit: audit.exportOf,
    },
    unitsOf: async (connection, id) =>
      (await unitsOf(() => ({ accounts, keys }))(connection, { kind: 'account', id })).units,
    log,
    ...(overrides.captcha ? { captcha: overrides.captcha } : {}),
    ...(overrides.passwords ? { passwords: overrides.passwords } : {}),
  });
  const selection = createSelection({ database, authz, catalog });
  const { selectedTools } = selection;
  const visibility = createVisibility({ authz, catalog, selectedTools, cached });
  const keys = createKeys({ database, authz, catalog, log });
  const usage = createUsage({
    ...{ database, limits, audit },
    counts: {
      keys: keys.count,
      // Nobody has items of their own.
      items: async () => ({ tools: 0, prompts: 0, resources: 0, agents: 0 }),
      selectedTools: async (id) => (await selection.settings(id)).tools.length,
    },
  });
  const computers = createComputers();
  return {
    project,
    audit,
    secrets,
    mail,
    limits,
    authz,
    accounts,
    selection,
    visibility,
    keys,
    usage,
    outbound,
    computers,
  };
}
type Parts = ReturnType<typeof createParts>;

function createMcpPart(
  config: Config,
  connections: Connections,
  parts: Parts &
    Pick<McpDependencies, 'authenticate' | 'observeCall'> & { more: ServiceOverrides['mcp'] & {} },
) {
  const { visibility, limits, secrets, keys, outbound, computers, more } = parts;
  const { redis, events, log } = connections;
  const serverInfo = serverInfoOf(VERSION, config.DASHBOARD_URL);
  const changes = createChanges({
    readCallers: keys.readCallers,
    digest: createDigest(visibility),
    resourceVersions: async () => new Map(),
    subscribe: events.subscribe,
    serverInfo,
    redis,
    log,
  });
  return createMcp(
    {
      publicUrl: config.PUBLIC_URL,
      dashboardUrl: config.DASHBOARD_URL,
      version: VERSION,
      authenticate: parts.authenticate,
      observeCall: parts.observeCall,
      visibility,
      limits,
      ...more,
      means: { now: systemClock.now, outbound, computers },
      secrets,
      log,
    },
    (dispatch) => ({
      changes,
      openListen: changes.openListen,
      legacy: createLegacyLeg({ redis, dispatch, changes, serverInfo, log, ...more }),
    }),
  );
}

/** The wires: REST, its reference and pages, `/mcp`, health and metrics on one port. */
function createApp(
  config: Config,
  connections: Connections,
  parts: Parts & {
    authentication: ReturnType<typeof createAuthenticate>;
    origins: ReadonlySet<string>;
    mcp: Pick<ReturnType<typeof createMcpPart>, 'handle'>;
    metrics: ReturnType<typeof createMetrics>;
  },
) {
  const { accounts, audit, authz, keys, selection, authentication, origins, metrics } = parts;
  const routes = [
    ...accountRoutes(accounts),
    ...auditRoutes(audit),
    ...keyRoutes(keys),
    ...selectionRoutes(selection),
    ...usageRoutes(parts.usage),
  ];
  return createGateway({
    authentication,
    check: authz.check,
    grantName: personalGrantName,
    origins,
    routes,
    pages: [homePage(config.PUBLIC_URL), ...accountPages(), ...mailPagesOf(config)],
    mcp: parts.mcp.handle,
    plugins: [
      (scope) => registerHealth(scope, healthProbes(connections, parts)),
      metrics.register,
      (scope) => registerProtectedResource(scope, config.PUBLIC_URL),
      (scope) => registerReference(scope, routes, config.PUBLIC_URL),
    ],
    sessionCookie: accounts.cookies.session,
    secureCookies: accounts.cookies.isSecure,
    dashboardOrigin: config.DASHBOARD_URL === config.PUBLIC_URL ? null : config.DASHBOARD_URL,
    trustedProxies: config.TRUSTED_PROXIES,
    observe: metrics.observe,
    log: connections.log,
  });
}
