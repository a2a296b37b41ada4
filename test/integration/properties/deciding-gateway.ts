import { createRetry } from '../../../src/authz/authz.ts';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { createDecisions } from '../../../src/authz/decisions/decisions.ts';
import type { Engine } from '../../../src/authz/engine/client.ts';
import type { ApiKeyPrincipal, SessionPrincipal } from '../../../src/caller/principal.ts';
import { defineRoute, ok } from '../../../src/caller/route.ts';
import type { Route } from '../../../src/caller/route.ts';
import { createAuthenticate } from '../../../src/gateway/senders/authenticate.ts';
import { createAuthenticator } from '../../../src/credentials/authenticate.ts';
import type { Credential } from '../../../src/credentials/credential.ts';
import { createMcp } from '../../../src/mcp/mcp.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { noTracing } from '../../../src/platform/observability/tracing.ts';
import { createVisibility } from '../../../src/visibility/visibility.ts';
import { createGatewayApp } from '../../support/gateway-app.ts';
import { smallCatalog, toolIds } from './agents-reach.ts';
import { openPolicies } from '../../support/worlds/policies.ts';
import { noCustomTools } from '../../support/worlds/no-custom-tools.ts';
import { noOrganizations } from '../../support/worlds/no-organizations.ts';

const ACCOUNT = '0190aaaa-0000-7000-8000-000000000001';
const KEY = '0190aaaa-0000-7000-8000-000000000002';
const scope = { revision: 1, applied: 1, nonce: KEY, content: 1 };
const principal: ApiKeyPrincipal = {
  credential: { kind: 'api_key', id: KEY },
  subject: `api_key:${KEY}`,
  context: `account:${ACCOUNT}`,
  person: ACCOUNT,
  quota_owner: { kind: 'account', id: ACCOUNT, plan: 'free' },
  organization: null,
  scopes: [{ kind: 'account', id: ACCOUNT, ...scope }],
  ...openPolicies,
  default_agent_id: null,
  team_ids: null,
  audit_arguments: false,
  restrictions: null,
  tool_listing: 'all',
};
const key: Credential = {
  principal,
  restPrincipal: () => principal,
  membership_with_deleted_seats: null,
  has_teams_beyond_client: false,
  used_recently: true,
  usable: true,
};
const session: SessionPrincipal = {
  credential: { kind: 'session', id: KEY },
  subject: `user:${ACCOUNT}`,
  context: `account:${ACCOUNT}`,
  person: ACCOUNT,
  quota_owner: { kind: 'account', id: ACCOUNT, plan: 'free' },
  organization: null,
  scopes: [{ kind: 'account', id: ACCOUNT, ...scope }],
  email: 'ada@example.com',
  auth_time: '2026-01-01T00:00:00.000Z',
};

/**
 * Counts the steps of a decision; the step `failAt` fails or, if `isPersistent`, every later one
 * too.
 */
export function createSteps() {
  const state = {
    stepCount: 0,
    failAt: Infinity,
    isPersistent: false,
    fault: null as unknown,
    effects: 0,
    conflicts: 0,
  };
  const step =
    <Rest extends unknown[], Value>(run: (...rest: Rest) => Value) =>
    async (...rest: Rest): Promise<Value> => {
      await Promise.resolve();
      state.stepCount += 1;
      const fails =
        state.stepCount === state.failAt || (state.isPersistent && state.stepCount > state.failAt);
      // A dependency may reject with any value, not only an Error.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      if (fails) return Promise.reject(state.fault);
      return run(...rest);
    };
  return { state, step };
}
export type Steps = ReturnType<typeof createSteps>;

const routesOf = ({ state }: Steps): Route[] => {
  const handle = () => {
    state.effects += 1;
    return ok({ done: true });
  };
  const common = { summary: '', tag: '', responses: { 200: z.object({ done: z.boolean() }) } };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/interactive',
      operation_id: 'getInteractive',
      access: { interactive: 'manage_account' },
      handle,
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/caller',
      operation_id: 'getCaller',
      access: 'caller',
      handle,
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/see',
      operation_id: 'getSeen',
      access: { on: 'account', permission: 'see' },
      handle,
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/tools',
      operation_id: 'createTool',
      access: { on: 'account', permission: 'tools_read' },
      body: z.object({}),
      handle,
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/conflict',
      operation_id: 'getConflict',
      access: { on: 'account', permission: 'tools_read' },
      handle() {
        state.conflicts += 1;
        if (state.conflicts === 1) throw new ConcurrentUpdate();
        return handle();
      },
    }),
  ];
};

const generation = {};

/**
 * Starts the real gateway and `/mcp` on in-memory dependencies, whose calls are the decision's
 * steps.
 */
export async function startDecidingGateway(steps: Steps) {
  const { state, step } = steps;
  const log = createLog('silent');
  const engine: Pick<Engine, 'batchCheck' | 'modelId'> = {
    modelId: 'model',
    batchCheck: step((questions: readonly unknown[]) => questions.map(() => true)),
  };
  const decisions = createDecisions(engine as Engine, false);
  const credentials = createAuthenticator({
    read: step((hashes: readonly string[]) => new Map(hashes.map((hash) => [hash, key]))),
    onUse: () => {},
    onRefused: () => {},
    removeDeletedSeats: async () => {},
    narrow: async () => {},
  });
  const authentication = createAuthenticate({
    apiKey: credentials.authenticateForRest,
    agent: credentials.authenticate,
    session: step(() => session),
    liveSession: step(() => session),
    token: () => Promise.reject(new Error('no token is sent')),
    agentToken: () => Promise.reject(new Error('no token is sent')),
    isAccessToken: () => false,
    origins: new Set(),
  });
  const readContents = step(() => ({
    selected_tools: new Set(toolIds),
    selected_prompts: new Set<string>(),
    items: [],
    quarantined: new Set<string>(),
  }));
  const mcp = createMcp(
    {
      publicUrl: 'http://localhost:7070',
      allowedOrigins: null,
      resourceMetadata: null,
      version: '1',
      recordUse() {},
      authenticate: ({ rawHeaders }, { address }) =>
        authentication.authenticateMcp({
          ...{ method: 'POST', rawHeaders, cookie: undefined, address },
        }),
      visibility: createVisibility({
        organizations: noOrganizations,
        runnable: noCustomTools,
        authz: {
          checkEach: async () => [],
          requireCurrent: step(() => {}),
          generation: () => generation,
          async context(caller) {
            const answers = await decisions.check(caller, ['can_connect', 'can_use_tools']);
            const connected = answers.get('can_connect') === true;
            return { connected, capabilities: new Set(['tools']), active: new Set() };
          },
          check: (caller, relations) => decisions.check(caller, relations),
        },
        catalog: smallCatalog,
        readContents,
        cached: false,
      }),
      limits: {
        async admit() {
          state.effects += 1;
          return { session: null, admitted: true, month: '2026-01' };
        },
        record: () => {},
      },
      observeCall: () => {},
      recordDecision: () => {},
      report: () => {},
      reportWithoutCredential: () => {},
      retry: createRetry(),
      tracing: noTracing,
      fillPrompt: async () => null,
      readAgent: async () => null,
      readResource: async () => null,
      upstreamContent: undefined as never,
      toolDependencies: {
        now: () => new Date(),
        outbound: undefined as never,
        workers: undefined as never,
      },
      management: undefined as never,
      secrets: { subkeys: () => [Buffer.alloc(32, 7)] },
      log,
    },
    () => ({
      legacy: { handle: async (_request, response) => void response.writeHead(418).end() },
      openListen: async (_call, response) => void response.writeHead(418).end(),
    }),
  );
  const app = await createGatewayApp({
    authentication,
    check: decisions.check,
    routes: routesOf(steps),
    mcp: mcp.register,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}
