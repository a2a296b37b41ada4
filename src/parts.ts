import { createAccounts } from './accounts/accounts.ts';
import type { Accounts, AccountsDependencies } from './accounts/accounts.ts';
import { createAudit } from './audit/audit.ts';
import type { Audit } from './audit/audit.ts';
import { createAuthz } from './authz/authz.ts';
import { catalog as builtInCatalog, createCatalog } from './catalog/catalog.ts';
import type { Catalog } from './catalog/catalog.ts';
import { createWorkerPool } from './catalog/worker-pool.ts';
import { createDocumentWorkers, createSamlWorkers } from './worker-pools.ts';
import type { Connections } from './connections.ts';
import { createConnectEvents } from './connect/connect-events.ts';
import { createContent } from './content/content.ts';
import type { Content, ContentDependencies } from './content/content.ts';
import { createCredentials } from './credentials/credentials.ts';
import { removeReviews } from './explorer/explorer.ts';
import { createUnused } from './explorer/unused/unused.ts';
import { createKeys, deleteKeys } from './keys/keys.ts';
import type { Keys } from './keys/keys.ts';
import { createFormLimits } from './limits/forms/forms.ts';
import { createLimits } from './limits/limits.ts';
import { createPreviewGate } from './limits/preview-gate.ts';
import type { Limits } from './limits/limits.ts';
import { createMail } from './mail/mail.ts';
import type { LegacyDependencies } from './mcp/legacy/legacy.ts';
import { managementEntries } from './mcp/management/entries.ts';
import { grepEntry } from './mcp/management/grep.ts';
import { createListTokens } from './mcp/lists/tokens.ts';
import { baseContext } from './mcp/system/base-context.ts';
import type { McpDependencies } from './mcp/mcp.ts';
import { deleteMachines } from './oauth/connections/connections.ts';
import { createOAuth } from './oauth/oauth.ts';
import type { OAuth } from './oauth/oauth.ts';
import { createOrganizations } from './organizations/organizations.ts';
import type { OrganizationsDependencies } from './organizations/dependencies.ts';
import type { Organizations } from './organizations/organizations.ts';
import { projections } from './projection.ts';
import { createScim, exportUsers } from './scim/scim.ts';
import { systemClock } from './platform/clock.ts';
import type { Config } from './platform/config/config.ts';
import { createOutbound } from './platform/outbound/outbound.ts';
import { createTxtRecords } from './platform/outbound/txt-records.ts';
import type { Queryable } from './platform/postgres/database.ts';
import { createSecrets } from './platform/secrets.ts';
import { createChangePreviews, createViewsAround } from './rehearsal.ts';
import {
  allowsSsoSession,
  createSso,
  givenRoles,
  isVerifiedDomain,
  requiresSso,
  sweepSso,
} from './sso/sso.ts';
import { createDemoRecord } from './seed/demo/demo.ts';
import type { Sso } from './sso/sso.ts';
import { traceAuthz, traceLimits } from './traced.ts';
import { createUsage } from './usage/usage.ts';
import { explorerOf, visibilityForRequests } from './views.ts';

/** Replacements of real parts, for tests only. */
export interface ServiceOverrides {
  catalog?: Catalog;
  captcha?: NonNullable<AccountsDependencies['captcha']>;
  passwords?: NonNullable<AccountsDependencies['passwords']>;
  organizations?: Partial<AccountsDependencies['organizations']>;
  mcp?: Pick<McpDependencies, 'extend'> & Pick<LegacyDependencies, 'capabilities' | 'timings'>;
}

/** The catalog that ships with the gateway, plus the management tools and `grep_resource`. */
const fullCatalog = createCatalog(
  [...builtInCatalog.tools(), ...managementEntries.map(({ tool }) => tool), grepEntry],
  builtInCatalog.prompts(),
);

/** Creates the parts that the modules of accounts, organizations and content depend on. */
function createFoundation(config: Config, connections: Connections) {
  const { log, database, redis, tracing } = connections;
  const secrets = createSecrets(config.SECRETS_KEY, {
    fallbacks: config.SECRETS_KEY_FALLBACKS,
    onUnreadable: (reason) => log.error(reason),
  });
  const audit = createAudit(database);
  const outbound = createOutbound({ allow: config.OUTBOUND_ALLOW });
  const mail = createMail({ database, secrets, log, config });
  const limits = traceLimits(
    createLimits({ redis, database, plans: config.plans, log, clock: systemClock }),
    tracing,
  );
  const forms = createFormLimits({ redis, addresses: config.plans.addresses });
  const cached = config.AUTHZ_CACHE === 'on';
  const decided = createAuthz({ ...connections, projections, audit: audit.recordChange, cached });
  const unused = createUnused({ pool: database.pool, log });
  return {
    ...{ secrets, audit, outbound, mail, limits, forms, unused },
    authz: unused.recording(traceAuthz(decided, tracing)),
    connectEvents: createConnectEvents(redis, log),
    demoRecord: createDemoRecord(database.pool),
    workers: createWorkerPool(),
    documentWorkers: createDocumentWorkers(),
    samlWorkers: createSamlWorkers(),
  };
}

/** The rules of organizations for accounts, with those of single sign-on. */
const accountRulesOf = ({ rules }: Pick<Organizations, 'rules'>) => ({
  ...rules,
  requiresSso,
  allowsSsoSession,
  async sweep(db: Queryable) {
    await rules.sweep(db);
    await sweepSso(db);
  },
});

/** Returns what an export of an account contains; `later` returns parts that depend on accounts. */
const exportsOf = (
  { content, organizations, limits, audit }: ExportedParts,
  later: () => LaterExportedParts,
): AccountsDependencies['exports'] => ({
  keys: (...asked) => later().keys.exportOf(...asked),
  connections: (...asked) => later().oauth.connections.exportOf(...asked),
  ...content.exports,
  oauth_clients: (...asked) => later().oauth.clients.exportOf(...asked),
  organizations: organizations.exportOf,
  directory_users: exportUsers,
  invitations: organizations.exportInvitations,
  usage: limits.exportAccount,
  settings: (connection, id) => later().usage.exportOf(connection, id),
  audit: audit.exportOf,
});

interface ExportedParts {
  content: Pick<Content, 'exports'>;
  organizations: Pick<Organizations, 'exportOf' | 'exportInvitations'>;
  limits: Pick<Limits, 'exportAccount'>;
  audit: Pick<Audit, 'exportOf'>;
}

interface LaterExportedParts {
  keys: Pick<Keys, 'exportOf'>;
  oauth: {
    connections: Pick<OAuth['connections'], 'exportOf'>;
    clients: Pick<OAuth['clients'], 'exportOf'>;
  };
  usage: Pick<ReturnType<typeof createUsage>, 'exportOf'>;
}

/** Creates what connects organizations to their identity providers and directories. */
function createDirectories(
  config: Config,
  { database, log }: Pick<Connections, 'database' | 'log'>,
  {
    audit,
    authz,
    forms,
    mail,
    outbound,
    samlWorkers,
    secrets,
  }: ReturnType<typeof createFoundation>,
  { accounts, organizations }: { accounts: Accounts; organizations: Organizations },
) {
  const sso = createSso({
    ...{ database, authz, secrets, outbound, audit, config, accounts, organizations, log },
    ...{ samlWorkers, limitForm: forms.take, readTxtRecords: createTxtRecords(config.DNS_SERVERS) },
  });
  const scim = createScim({
    ...{
      database,
      authz,
      log,
      isVerifiedDomain,
      wakeMail: mail.wake,
      publicUrl: config.PUBLIC_URL,
    },
    ...{ members: organizations.directory, accounts: accounts.managed, limitForm: forms.take },
    isAdmin: organizations.joinGrants.isAdmin,
  });
  return { sso, scim };
}

/** Returns what becomes of roles that single sign-on gives; `later` returns single sign-on. */
const givenBy = (later: () => Pick<Sso, 'grownRoles'>): OrganizationsDependencies['given'] => ({
  ...givenRoles,
  growRole: (...sent) => later().grownRoles.growRole(...sent),
  growTeamRole: (...sent) => later().grownRoles.growTeamRole(...sent),
});

/** Deletes credentials of a deleted organization. */
const deleteServices: OrganizationsDependencies['deleteServices'] = async (...sent) => {
  await deleteKeys(...sent);
  await deleteMachines(...sent);
};

/** Returns what content asks of keys; `later` returns them. */
const keysFor = (
  later: () => Pick<Keys, 'using' | 'agentStart'>,
): Pick<ContentDependencies, 'keysUsing' | 'agentStart'> => ({
  keysUsing: (...sent) => later().using(...sent),
  agentStart: (...sent) => later().agentStart(...sent),
});

/** Creates everything below REST and MCP, lowest layer first. */
export function createParts(config: Config, connections: Connections, overrides: ServiceOverrides) {
  const { log, database, tracing } = connections;
  const catalog = overrides.catalog ?? fullCatalog;
  const foundation = createFoundation(config, connections);
  const { secrets, audit, outbound, documentWorkers, mail, limits, forms, authz } = foundation;
  const shared = { database, authz, secrets, outbound, documentWorkers };
  const content = createContent({
    ...{ ...shared, audit, catalog, config, plans: config.plans, log },
    dropFromPolicies: (transaction, item) =>
      item.space.kind === 'organization'
        ? organizations.teams.policies.drop(transaction, item)
        : keys.dropFromPolicies(transaction, item),
    ...keysFor(() => keys),
    teamsUsing: (caller, item) => organizations.teams.naming(caller, item),
    requireTeam: (caller, params) => organizations.teams.requireInside(caller, params),
    limitDiscovery: ({ id }) => forms.take('discovery', { account: id }),
  });
  const organizations = createOrganizations({
    ...{ ...shared, mail, config, plans: config.plans, log, catalog, limitForm: forms.take },
    ...{ catalogItems: content.ownItems, spaces: content.organizationSpaces },
    ...{ given: givenBy(() => sso), deleteServices, removeReviews },
    endSsoAccess: (...sent) => accounts.identities.endAccess(...sent),
    endOutgrownAccess: (...sent) => sso.endOutgrownAccess(...sent),
  });
  const accounts = createAccounts({
    ...{ ...shared, mail, audit, config, log, addPersonalSpace: content.addPersonalSpace },
    ...{ limitForm: forms.take, refundForm: forms.giveBack },
    organizations: { ...accountRulesOf(organizations), ...overrides.organizations },
    exports: exportsOf({ content, organizations, limits, audit }, () => ({ keys, oauth, usage })),
    ...(overrides.captcha ? { captcha: overrides.captcha } : {}),
    ...(overrides.passwords ? { passwords: overrides.passwords } : {}),
  });
  const viewed = { authz, catalog, content, organizations };
  const visibility = visibilityForRequests(viewed, config, tracing);
  const credentials = createCredentials({
    ...{ database, removeDeletedSeats: organizations.removeDeletedSeats },
    connectionUsed: (id) => oauth.connections.recordUse(id),
    ...{ used: (id) => keys.recordUse(id), narrow: (id) => oauth.connections.narrow(id) },
    refused: foundation.connectEvents.reportInvalid,
    tokens: { publicUrl: config.PUBLIC_URL, keyFor: (kid) => oauth.signingKeys.keyFor(kid) },
  });
  const admitPreview = createPreviewGate(forms);
  const keys = createKeys({
    ...{ database, authz, catalog, visibility, limits, credentials, organizations, log, config },
    mail,
    ...{ ownItems: content.ownItems, memberConnections: () => oauth.connections.ofMembers },
    ...{ limitExplain: (account) => forms.take('explain', { account }), contextOf: baseContext },
    ...{ listTokens: createListTokens(config, visibility, content.agents), admitPreview },
    viewsAround: createViewsAround({ authz, catalog, content }),
  });
  const oauth = createOAuth({
    ...{ database, authz, organizations, secrets, log, credentials, visibility, config },
    ...{ publicUrl: config.PUBLIC_URL, refreshLeewaySeconds: config.REFRESH_LEEWAY_S },
    ...{ inspect: keys.inspection, limitForm: forms.take, delegation: organizations.delegation },
  });
  const people = { accounts, organizations };
  const { sso, scim } = createDirectories(config, connections, foundation, people);
  const usage = createUsage({
    ...{ database, authz, limits, planOf: organizations.planOf },
    teamsInside: organizations.teams.teamsInside,
    ...{ requireKey: keys.requireOwn, memberTeams: organizations.delegation.findTeams },
    counts: { keys: keys.count, items: content.counts, selectedTools: content.selectedTools },
  });
  return {
    explorer: explorerOf({ ...viewed, ...foundation, database, credentials, keys, log, config }),
    previews: createChangePreviews({ ...shared, catalog, content, visibility, admitPreview, keys }),
    ...{ ...foundation, catalog, accounts, organizations, scim },
    ...{ content, visibility, credentials, keys, oauth, sso, usage },
  };
}

export type Parts = ReturnType<typeof createParts>;
