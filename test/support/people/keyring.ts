import { z } from 'zod';
import { createAuthz } from '../../../src/authz/authz.ts';
import type { Authz } from '../../../src/authz/authz.ts';
import { createEngine } from '../../../src/authz/engine/client.ts';
import { requireDeployment } from '../../../src/authz/engine/deployment.ts';
import { readScopes } from '../../../src/authz/changes/store.ts';
import { systemActor as actor } from '../../../src/caller/actor.ts';
import type { SessionPrincipal } from '../../../src/caller/principal.ts';
import { defineTool, PURE } from '../../../src/catalog/tool.ts';
import type { BuiltInTool } from '../../../src/catalog/tool.ts';
import { findOwnItems } from '../../../src/content/items/store.ts';
import { createSelection } from '../../../src/content/selection/selection.ts';
import type { Selection } from '../../../src/content/selection/selection.ts';
import { createCredentials } from '../../../src/credentials/credentials.ts';
import type { Credentials } from '../../../src/credentials/credentials.ts';
import { createKeys } from '../../../src/keys/keys.ts';
import type { Keys } from '../../../src/keys/keys.ts';
import { KeyDraft } from '../../../src/keys/schema.ts';
import { createDelegation } from '../../../src/organizations/organizations.ts';
import { createEmailTemplates } from '../../../src/mail/emails.ts';
import { createLimits } from '../../../src/limits/limits.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { defaultPlans } from '../../../src/platform/config/plans.ts';
import { createDatabase, sql } from '../../../src/platform/postgres/database.ts';
import type { Database } from '../../../src/platform/postgres/database.ts';
import { createEvents } from '../../../src/platform/redis/events.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createRedis } from '../../../src/platform/redis/redis.ts';
import { projections } from '../../../src/projection.ts';
import { createContentsReader, insertPersonalSpace } from '../../../src/content/spaces/spaces.ts';
import { createVisibility } from '../../../src/visibility/visibility.ts';
import type { Visibility } from '../../../src/visibility/visibility.ts';
import type { Deployment } from '../servers/deployment.ts';
import { noCustomTools } from '../worlds/no-custom-tools.ts';
import { noOrganizations } from '../worlds/no-organizations.ts';

export { actor };

/** Keys, selection and visibility on real servers with a catalog of three tools, without HTTP. */
export interface Keyring {
  database: Database;
  authz: Authz;
  credentials: Credentials;
  keys: Keys;
  selection: Selection;
  visibility: Visibility;
  tools: readonly BuiltInTool[];
  addAccount(): Promise<string>;
  /** Returns a session principal of the account with its current scope. */
  session(account: string): Promise<SessionPrincipal>;
  addKey(account: string, fields?: object): ReturnType<Keys['create']>;
  close(): Promise<void>;
}

/** Creates a key draft as the gateway would parse it. */
export const draftOf = (fields: object = {}): KeyDraft =>
  KeyDraft.parse({ name: `key ${newId()}`, mcp_capabilities: [], ...fields });

export interface KeyringOptions {
  cached?: boolean;
  /** Called when a change has written its rows, and when it is committed. */
  onStep?(step: 'before the commit' | 'after the commit'): void;
}

export async function createKeyring(
  deployment: Deployment,
  { cached = process.env['AUTHZ_CACHE'] !== 'off', onStep = () => {} }: KeyringOptions = {},
): Promise<Keyring> {
  const log = createLog('silent');
  const onIdleError = () => {};
  const database = await createDatabase({ url: deployment.databaseUrl, onIdleError });
  const { model_id } = await requireDeployment(database, deployment.openfga.storeId);
  const { REDIS_URL, REDIS_PREFIX } = deployment.env;
  const redis = createRedis(REDIS_URL!, REDIS_PREFIX!, onIdleError);
  const engine = createEngine({ ...deployment.openfga, modelId: model_id });
  const authz = createAuthz({
    database,
    appliersDatabase: database,
    engine: {
      ...engine,
      write(delta) {
        onStep('after the commit');
        return engine.write(delta);
      },
    },
    events: createEvents(redis, log),
    projections,
    audit: async () => onStep('before the commit'),
    cached,
    log,
  });
  await authz.requireStore();
  const catalog = {
    tools: () => tools,
    toolById: (id: string) => tools.find((tool) => tool.id === id),
    prompts: () => [],
    promptById: () => undefined,
    version: 'v1',
  };
  const selection = createSelection({ database, authz, catalog });
  const readContents = createContentsReader({ database });
  const visibility = createVisibility({
    organizations: noOrganizations,
    authz,
    catalog,
    readContents,
    runnable: noCustomTools,
    cached,
  });
  const ownItems = findOwnItems;
  const limits = createLimits({ redis, database, plans: defaultPlans, log, clock: systemClock });
  const credentials = createCredentials({
    database,
    used: (id) => keys.recordUse(id),
    connectionUsed: () => {},
    refused: () => {},
    tokens: { publicUrl: 'http://localhost:7070', keyFor: async () => null },
    removeDeletedSeats: async () => {},
    narrow: async () => {},
  });
  const keys: Keys = createKeys({
    ...{ database, authz, catalog, visibility, limits, credentials, ownItems, log },
    organizations: {
      delegation: createDelegation({ database, authz }),
      teams: { idsInside: async () => new Set() },
    },
    limitExplain: async () => {},
    config: { DASHBOARD_URL: 'http://localhost:7070' },
    mail: { enqueue: async () => {}, wake() {}, templates: createEmailTemplates('localhost') },
    listTokens: function* listTokens() {
      yield;
      return 0;
    },
    admitPreview: (_account, preview) => preview(),
    viewsAround: () => Promise.reject(new Error('nothing is rehearsed')),
    contextOf: () => '',
    memberConnections: () => {
      throw new Error('there are no organizations');
    },
  });
  const session = async (account: string) => sessionOf(account, await scopesOf(database, account));
  return {
    database,
    authz,
    credentials,
    keys,
    selection,
    visibility,
    tools,
    addAccount: () => addAccount(authz),
    session,
    addKey: async (account, fields) => keys.create(await session(account), draftOf(fields), actor),
    async close() {
      await keys.stop();
      await redis.close();
      await database.close();
    },
  };
}

const toolNamed = (name: string, id: string, deprecated = false) =>
  defineTool({
    id,
    name,
    title: name,
    description: `Does ${name}.`,
    input: z.object({}),
    output: z.object({}),
    annotations: PURE,
    timeout_ms: 1_000,
    deprecated,
    examples: [],
    run: () => ({}),
  });

const tools = [
  toolNamed('add', '0190aaaa-0000-7000-8000-0000000000a1'),
  toolNamed('count', '0190aaaa-0000-7000-8000-0000000000a2'),
  toolNamed('old', '0190aaaa-0000-7000-8000-0000000000a3', true),
];

async function addAccount(authz: Authz): Promise<string> {
  const id = newId();
  await authz.change({
    actor,
    reason: 'account.verify',
    writes: [{ kind: 'account', id }],
    creates: [{ kind: 'account', id }],
    objects: [{ object: `account:${id}`, subject: `user:${id}` }],
    targets: [{ type: 'account', id }],
    basis: null,
    async work(transaction) {
      await transaction.query(
        sql.unsafe`INSERT INTO account (id, email) VALUES (${id}, ${`${id}@example.org`})`,
      );
      await insertPersonalSpace(transaction, id);
    },
  });
  return id;
}

/** Reads the account's scope as the authentication query does. */
const scopesOf = async (database: Database, account: string) =>
  (await readScopes(database.pool, [{ kind: 'account', id: account }])).map(
    ({ position: _position, is_stuck: _isStuck, ...scope }) => scope,
  );

const sessionOf = (account: string, scopes: SessionPrincipal['scopes']): SessionPrincipal => ({
  credential: { kind: 'session', id: newId() },
  subject: `user:${account}`,
  context: `account:${account}`,
  person: account,
  quota_owner: { kind: 'account', id: account, plan: 'free' },
  organization: null,
  scopes,
  email: `${account}@example.org`,
  auth_time: '2026-01-01T00:00:00.000Z',
});
