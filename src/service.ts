import type { Accounts } from './accounts/accounts.ts';
import { createAuthentication } from './authentication.ts';
import { accountPages } from './accounts/pages/pages.ts';
import { findDrift } from './authz/drift/drift.ts';
import type { Drift } from './authz/drift/drift.ts';
import { grantName } from './authz/permissions.ts';
import { systemActor } from './caller/actor.ts';
import { connect, disconnect, healthProbes, healthWarnings } from './connections.ts';
import type { Connections } from './connections.ts';
import type { createAuthenticate } from './gateway/senders/authenticate.ts';
import { credentialsOf } from './gateway/senders/credentials.ts';
import { createGateway } from './gateway/gateway.ts';
import { registerDashboard } from './gateway/pages/dashboard.ts';
import { registerHealth } from './gateway/operations/health.ts';
import { createClientAddress } from './gateway/http/client-address.ts';
import { gaugesOf } from './gateway/operations/gauges.ts';
import { createMetrics } from './gateway/operations/metrics.ts';
import { registerReference } from './gateway/openapi/reference.ts';
import { registerScim } from './gateway/scim.ts';
import { registerSelfCheck } from './gateway/operations/self-check.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import type { Keys } from './keys/keys.ts';
import { mailPagesOf } from './mail/dev-mail.ts';
import { widgetHosts } from './accounts/captcha/widget-hosts.ts';
import { createJobs } from './jobs/jobs.ts';
import type { Jobs } from './jobs/jobs.ts';
import { jobRoutes } from './jobs/routes.ts';
import { serverInfoOf } from './mcp/protocol/advertised.ts';
import { createChangeFeed } from './mcp/changes/changes.ts';
import { createCurrentView } from './mcp/changes/current-view.ts';
import { createDigest } from './mcp/lists/digests.ts';
import { createLegacyHandler } from './mcp/legacy/legacy.ts';
import { createMcp } from './mcp/mcp.ts';
import type { McpDependencies } from './mcp/mcp.ts';
import { createResourceVersions } from './mcp/changes/resource-versions.ts';
import type { OrganizationOperations } from './organizations/operations/operations.ts';
import { createPageSignIn } from './accounts/sign-in/page-sign-in.ts';
import { consentPages } from './oauth/consent/page/consent-page.ts';
import { registerAuthorizationServer } from './oauth/server/routes.ts';
import { RESOURCE_METADATA_PATH } from './oauth/server/server.ts';
import { projections } from './projection.ts';
import { systemClock } from './platform/clock.ts';
import type { Config } from './platform/config/config.ts';
import { VERSION } from './platform/config/version.ts';
import { createCursors } from './platform/http/cursors.ts';
import { samlMetadataPage } from './sso/saml/routes.ts';
import { createParts } from './parts.ts';
import type { Parts, ServiceOverrides } from './parts.ts';
import { routesOf } from './rest-routes.ts';
import { createSeeding, demoPluginsOf } from './seeding.ts';
import type { Seeding } from './seeding.ts';

export type { ServiceOverrides };

export interface Service {
  listen(): Promise<void>;
  /** Compares every scope's tuples with its rows; `repair` fixes the differences. */
  drift(options: { repair: boolean }): AsyncGenerator<Drift>;
  /** Deactivates or reactivates an account, on every running gateway. */
  activate: Accounts['activate'];
  setAccountPlan: Accounts['setPlan'];
  /** Lists organizations, sets their plan, suspends or reactivates them. */
  organizations: OrganizationOperations;
  /** Explains why a key may or may not use an item, for any account's key. */
  explainKey: Keys['explainKey'];
  /** Returns the ids of the keys with an id or a name. */
  findKeys: Keys['findIds'];
  /** Fills the deployment from a seed file, or with the demo. */
  seeding: Seeding;
  /** Drains the service: gives running calls 20 seconds and jobs 10, ends streams and flushes buffers. */
  close(): Promise<void>;
}

/** The composition root: creates every part by plain calls, lowest layer first. */
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
  const { accounts, authz, keys, limits, mail, oauth, organizations } = parts;
  const origins = new Set([config.PUBLIC_URL, config.DASHBOARD_URL]);
  const authentication = createAuthentication(connections, parts, origins);
  const idempotency = createIdempotency({ ...connections, secrets: parts.secrets });
  const jobs = createJobs(connections);
  const metrics = createMetrics({
    token: config.METRICS_TOKEN,
    gauges: gaugesOf(parts),
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
    ...{ authentication, idempotency, jobs, origins, mcp, metrics },
  });
  // An unreachable or restored store does not prevent the start; decisions are refused instead.
  await authz.requireStore().catch(() => {});

  return {
    async listen() {
      // Without Redis, the first calls would be limited by this process alone.
      await connections.redis.ready(1_000);
      for (const part of [authz, limits, accounts, organizations, keys, oauth, idempotency, jobs])
        part.start();
      mail.start({ ...accounts.composers, ...organizations.invitations.composers });
      mcp.handlers.changes.start();
      parts.connectEvents.start();
      parts.unused.start();
      await app.listen({ port: config.PORT, host: config.HOST });
    },
    activate: accounts.activate,
    setAccountPlan: accounts.setPlan,
    organizations: organizations.operations,
    explainKey: keys.explainKey,
    findKeys: keys.findIds,
    seeding: createSeeding(config, parts, app.inject.bind(app)),
    drift: ({ repair }) =>
      findDrift(
        {
          database: connections.appliersDatabase,
          engine: connections.engine,
          projections,
          log: connections.log,
        },
        { repair, actor: systemActor },
      ),
    async close() {
      mcp.handlers.changes.stop();
      await Promise.all([mcp.handlers.legacy.stop(), app.close(), jobs.stop()]);
      accounts.stop();
      await Promise.all([oauth, organizations, idempotency].map((part) => part.stop()));
      await parts.unused.stop();
      await Promise.all([authz.stop(), limits.stop(), keys.stop(), mail.stop()]);
      const { workers, documentWorkers, samlWorkers } = parts;
      await Promise.all([workers, documentWorkers, samlWorkers].map((pool) => pool.close()));
      await parts.content.close().then(parts.outbound.close);
      await disconnect(connections);
    },
  };
}

function createMcpPart(
  config: Config,
  connections: Connections,
  parts: Parts &
    Pick<McpDependencies, 'authenticate' | 'observeCall'> & { more: ServiceOverrides['mcp'] & {} },
) {
  const { visibility, limits, secrets, credentials, content, outbound, workers, more } = parts;
  const { redis, events, tracing, log } = connections;
  const serverInfo = serverInfoOf(VERSION, config.PUBLIC_URL);
  const { reread } = credentials;
  const watched = { ...visibility, view: createCurrentView(visibility, reread) };
  const changes = createChangeFeed({
    reread,
    digest: createDigest(watched),
    resourceVersions: createResourceVersions(watched),
    subscribe: events.subscribe,
    serverInfo,
    redis,
    log,
  });
  return createMcp(
    {
      publicUrl: config.PUBLIC_URL,
      allowedOrigins: config.MCP_ORIGINS?.concat(config.DASHBOARD_URL) ?? null,
      resourceMetadata: `${config.PUBLIC_URL}${RESOURCE_METADATA_PATH}`,
      version: VERSION,
      authenticate: parts.authenticate,
      observeCall: parts.observeCall,
      recordUse: parts.unused.recordCall,
      report: parts.connectEvents.report,
      reportWithoutCredential: parts.connectEvents.reportWithoutCredential,
      retry: parts.authz.retry,
      visibility,
      limits,
      fillPrompt: content.prompts.fill,
      readAgent: content.agents.contentAt,
      readResource: content.resources.contentAt,
      ...more,
      toolDependencies: { now: systemClock.now, outbound, workers },
      management: {
        catalog: parts.catalog,
        items: {
          resource: content.resources,
          prompt: content.prompts,
          agent: content.agents,
          custom_tool: content.customTools,
        },
      },
      secrets,
      tracing,
      log,
    },
    (dispatch) => ({
      changes,
      openListen: changes.openListen,
      legacy: createLegacyHandler({
        ...{ redis, dispatch, changes, serverInfo, log, report: parts.connectEvents.report },
        ...more,
      }),
    }),
  );
}

/** Creates the HTTP server: REST, API reference, pages, `/mcp`, health and metrics on one port. */
function createApp(
  config: Config,
  connections: Connections,
  parts: Parts & {
    authentication: ReturnType<typeof createAuthenticate>;
    idempotency: Idempotency;
    jobs: Jobs;
    origins: ReadonlySet<string>;
    mcp: Pick<ReturnType<typeof createMcpPart>, 'register'>;
    metrics: ReturnType<typeof createMetrics>;
  },
) {
  const { accounts, authz, authentication, idempotency, jobs, origins, metrics } = parts;
  const dashboardOrigin = config.DASHBOARD_URL === config.PUBLIC_URL ? null : config.DASHBOARD_URL;
  const routes = [...routesOf(config, parts), ...jobRoutes(jobs)];
  const clientAddress = createClientAddress(config.TRUSTED_PROXIES);
  const signIn = createPageSignIn(accounts);
  return createGateway({
    ...{ authentication, idempotency, jobs },
    check: authz.check,
    retry: authz.retry,
    requireReauthentication: accounts.requireReauthentication,
    grantName,
    origins,
    cursors: createCursors(parts.secrets.subkeys('list-cursor')),
    routes,
    pages: [
      ...accountPages(config.PUBLIC_URL, dashboardOrigin),
      ...consentPages({
        publicUrl: config.PUBLIC_URL,
        consent: parts.oauth.consent,
        findSignedIn: accounts.findSignedIn,
        signIn,
        signInMethods: () => ({
          providers: accounts.providers.list().data,
          passkeys: signIn.passkeys,
        }),
        findSso: (email, request) => parts.sso.discover({ email }, request),
      }),
      ...mailPagesOf(config),
      samlMetadataPage(parts.sso),
    ],
    mcp: parts.mcp.register,
    plugins: [
      (scope) => registerHealth(scope, healthProbes(connections, parts), healthWarnings(parts)),
      (scope) => registerSelfCheck(scope, { ...parts, ...accounts.cookies, clientAddress }),
      metrics.register,
      ...demoPluginsOf(config, parts, origins),
      (scope) => registerDashboard(scope, config.PUBLIC_URL, widgetHosts(config.CAPTCHA)),
      (scope) => registerAuthorizationServer(scope, parts.oauth.server, clientAddress),
      (scope) =>
        registerReference(scope, routes, {
          baseUrl: config.PUBLIC_URL,
          sessionCookie: accounts.cookies.session,
        }),
      (scope) =>
        registerScim(scope, { ...parts, retry: authz.retry, clientAddress, log: connections.log }),
    ],
    sessionCookie: accounts.cookies.session,
    secureCookies: accounts.cookies.isSecure,
    dashboardOrigin,
    publicUrl: config.PUBLIC_URL,
    trustedProxies: config.TRUSTED_PROXIES,
    observe: metrics.observe,
    tracing: connections.tracing,
    log: connections.log,
  });
}
