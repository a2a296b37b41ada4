import type { Accounts } from './accounts/accounts.ts';
import { createAuthentication } from './authentication.ts';
import { accountPages } from './accounts/pages/pages.ts';
import { findDrift } from './authz/drift/drift.ts';
import type { Drift } from './authz/drift/drift.ts';
import { grantName } from './authz/permissions.ts';
import { systemActor } from './caller/actor.ts';
import { createDecisionLog, decisionAgainstUse } from './decision-log/decision-log.ts';
import type { DecisionLog } from './decision-log/decision-log.ts';
import { decisionRoutes } from './decision-log/routes.ts';
import { connect, disconnect, healthProbes, healthWarnings } from './connections.ts';
import type { Connections } from './connections.ts';
import type { createAuthenticate } from './gateway/senders/authenticate.ts';
import { credentialsOf } from './gateway/senders/credentials.ts';
import { createGateway } from './gateway/gateway.ts';
import { registerDashboard } from './gateway/pages/dashboard.ts';
import { registerHealth } from './gateway/operations/health.ts';
import { createClientAddress } from './gateway/http/client-address.ts';
import { readMetricsOf } from './gateway/operations/gauges.ts';
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
import type { McpDependencies } from './mcp/mcp.ts';
import type { OrganizationOperations } from './organizations/operations/operations.ts';
import { createPageSignIn } from './accounts/sign-in/page-sign-in.ts';
import { consentPages } from './oauth/consent/page/consent-page.ts';
import { registerAuthorizationServer } from './oauth/server/routes.ts';
import { projections } from './projection.ts';
import type { Config } from './platform/config/config.ts';
import { createCursors } from './platform/http/cursors.ts';
import { samlMetadataPage } from './sso/saml/routes.ts';
import { createMcpPart } from './mcp-part.ts';
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
  const decisionLog = createDecisionLog({ ...connections, config, authz, organizations });
  const read = readMetricsOf({ ...parts, decisionLog });
  const metrics = createMetrics({ token: config.METRICS_TOKEN, ...read });
  const mcp = createMcpPart(config, connections, {
    ...parts,
    authenticate: createMcpAuthentication(parts, authentication, decisionLog.record),
    observeCall: metrics.observeCall,
    recordDecision: decisionLog.record,
    more: overrides.mcp ?? {},
  });
  const app = await createApp(config, connections, {
    ...parts,
    ...{ authentication, idempotency, jobs, origins, mcp, metrics, decisionLog },
  });
  const { refresh, revocation } = parts.content;
  const background = [parts.explorer.nightly, parts.unused, refresh, revocation];
  // An unreachable or restored store does not prevent the start; decisions are refused instead.
  await authz.requireStore().catch(() => {});

  return {
    async listen() {
      // Without Redis, the first calls would be limited by this process alone.
      await connections.redis.ready(1_000);
      for (const part of [authz, limits, accounts, organizations, keys, oauth, idempotency, jobs])
        part.start();
      for (const part of [decisionLog, ...background]) part.start();
      mail.start(composersOf(parts));
      mcp.handlers.changes.start();
      parts.connectEvents.start();
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
      const others = [oauth, organizations, idempotency, ...background];
      await Promise.all(others.map((part) => part.stop()));
      const last = [authz, limits, keys, mail, decisionLog];
      await Promise.all(last.map((part) => part.stop()));
      const { workers, documentWorkers, samlWorkers } = parts;
      await Promise.all([workers, documentWorkers, samlWorkers].map((pool) => pool.close()));
      await parts.content.close().then(parts.outbound.close);
      await disconnect(connections);
    },
  };
}

/** Returns the composers of all e-mails. */
const composersOf = ({ accounts, organizations, keys }: Parts) => ({
  ...{ ...accounts.composers, ...organizations.invitations.composers },
  ...keys.expiry.composers,
});

/**
 * Creates the authentication of `/mcp`, which records the use of a credential from where, or when, it
 * does not work.
 */
const createMcpAuthentication =
  (
    { accounts }: Pick<Parts, 'accounts'>,
    { authenticateMcp }: ReturnType<typeof createAuthenticate>,
    record: DecisionLog['record'],
  ): McpDependencies['authenticate'] =>
  async (request, { id, address }) => {
    try {
      return await authenticateMcp(credentialsOf(request, accounts.cookies.session, address));
    } catch (error) {
      const decision = decisionAgainstUse(error, { request_id: id });
      if (decision !== null) record(decision);
      throw error;
    }
  };

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
    decisionLog: DecisionLog;
  },
) {
  const { accounts, authz, authentication, idempotency, jobs, origins, metrics, decisionLog } =
    parts;
  const { log } = connections;
  const dashboardOrigin = config.DASHBOARD_URL === config.PUBLIC_URL ? null : config.DASHBOARD_URL;
  const routes = [...routesOf(config, parts), ...jobRoutes(jobs), ...decisionRoutes(decisionLog)];
  const clientAddress = createClientAddress(config.TRUSTED_PROXIES);
  const signIn = createPageSignIn(accounts);
  return createGateway({
    ...{ authentication, idempotency, jobs, recordDecision: decisionLog.record },
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
      (scope) => registerAuthorizationServer(scope, parts.oauth.server, { clientAddress, log }),
      (scope) =>
        registerReference(scope, routes, {
          baseUrl: config.PUBLIC_URL,
          sessionCookie: accounts.cookies.session,
        }),
      (scope) => registerScim(scope, { ...parts, retry: authz.retry, clientAddress, log }),
    ],
    sessionCookie: accounts.cookies.session,
    secureCookies: accounts.cookies.isSecure,
    dashboardOrigin,
    publicUrl: config.PUBLIC_URL,
    trustedProxies: config.TRUSTED_PROXIES,
    observe: metrics.observe,
    tracing: connections.tracing,
    log,
  });
}
