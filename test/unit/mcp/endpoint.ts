import { createRetry } from '../../../src/authz/authz.ts';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Capability } from '../../../src/authz/permissions.ts';
import type { AgentPrincipal } from '../../../src/caller/principal.ts';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { defineTool, PURE } from '../../../src/catalog/tool.ts';
import type { BuiltInTool } from '../../../src/catalog/tool.ts';
import { ToolFailure } from '../../../src/catalog/tool-failure.ts';
import type { Admission, AdmissionRequest, UsageRecord } from '../../../src/limits/limits.ts';
import { createMcp } from '../../../src/mcp/mcp.ts';
import type { ObservedCall } from '../../../src/mcp/mcp.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { Refusal, unauthenticated, unavailable } from '../../../src/platform/errors/refusal.ts';
import { noTracing } from '../../../src/platform/observability/tracing.ts';
import { createVisibility } from '../../../src/visibility/visibility.ts';
import type { SpaceContents } from '../../../src/visibility/visibility.ts';
import { createGatewayApp } from '../../support/gateway-app.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import { openPolicies } from '../../support/worlds/policies.ts';
import { noCustomTools } from '../../support/worlds/no-custom-tools.ts';
import { noOrganizations } from '../../support/worlds/no-organizations.ts';

export const META = 'io.modelcontextprotocol/';
const OWNER = '0190aaaa-0000-7000-8000-000000000001';
const KEY = '0190aaaa-0000-7000-8000-000000000002';
const ACCOUNT = { kind: 'account', id: OWNER } as const;

/** Inputs of the endpoint under test; a test overrides the relevant ones. */
export interface EndpointInputs {
  capabilities: Capability[] | 'unavailable';
  connected: boolean;
  /** Names of selected tools. */
  selected: string[];
  /** Names of tools the key's policy excludes. */
  excluded: string[];
  admission: Admission | 'unavailable';
  tools: BuiltInTool[];
  /** Whether the account records the arguments of its calls. */
  audit_arguments: boolean;
  tool_listing: AgentPrincipal['tool_listing'];
  pageItems: number;
  resource_metadata: string | null;
  /** User-defined items, and the agent settings of the key. */
  items: SpaceContents['items'];
  agent_policy: unknown;
  default_agent_id: string | null;
  /** Whether the key `good` was revoked. */
  isRevoked: boolean;
  /** State of the account's scope: changes when anything that decisions depend on does. */
  nonce: string;
  /** Awaited where a request waits for its credential. */
  whileAuthenticating(): Promise<void>;
  /** Awaited where a request waits for its view, and for its admission. */
  whileDeciding(): Promise<void>;
  whileAdmitting(): Promise<void>;
}

const tool = (
  name: string,
  run: (input: { value?: string | undefined }) => unknown,
  timeout_ms = 1_000,
) =>
  defineTool({
    id: `0190bbbb-0000-7000-8000-${Buffer.from(name).toString('hex').padEnd(12, '0').slice(0, 12)}`,
    name,
    title: name,
    description: `The tool ${name}.`,
    input: z.object({ value: z.string().optional() }),
    output: z.looseObject({}),
    annotations: PURE,
    timeout_ms,
    examples: [],
    run: (input) => run(input) as Record<string, unknown>,
  });

const never = () => new Promise<never>(() => {});
const tools = [
  tool('echo', ({ value }) => ({ value })),
  tool('fails', () => {
    throw new ToolFailure('invalid_expression', 'Cannot be computed.', { at: 3 });
  }),
  tool('breaks', () => {
    throw new Error('secret detail of a defect');
  }),
  tool('refuses', () => {
    throw new Refusal('absent', 'not_found', 'Not found.');
  }),
  tool('hangs', never, 20),
  tool('waits', never, 60_000),
  tool('unselected', () => ({})),
  tool('excluded', () => ({})),
];

const generation = {};

/** Starts `/mcp` on its own port with stubbed dependencies. */
export async function startEndpoint(changes: Partial<EndpointInputs> = {}) {
  const inputs: EndpointInputs = {
    capabilities: ['tools'],
    connected: true,
    selected: tools.map(({ name }) => name).filter((name) => name !== 'unselected'),
    excluded: ['excluded'],
    admission: { session: null, admitted: true, month: '2026-01' },
    tools,
    audit_arguments: false,
    tool_listing: 'all',
    pageItems: 200,
    resource_metadata: null,
    items: [],
    agent_policy: openPolicies.agent_policy,
    default_agent_id: null,
    isRevoked: false,
    nonce: 's',
    whileAuthenticating: async () => {},
    whileDeciding: async () => {},
    whileAdmitting: async () => {},
    ...changes,
  };
  const catalog = createCatalog(inputs.tools);
  const idOf = (name: string) => toolNamed(catalog, name).id;
  const admissions: AdmissionRequest[] = [];
  const recorded: UsageRecord[] = [];
  const observed: ObservedCall[] = [];
  let contexts = 0;
  let authentications = 0;
  const scope = { ...ACCOUNT, revision: 1, applied: 1, nonce: inputs.nonce, content: 1 };
  const caller: AgentPrincipal = {
    credential: { kind: 'api_key', id: KEY },
    subject: `api_key:${KEY}`,
    context: `account:${OWNER}`,
    person: OWNER,
    quota_owner: { kind: 'account', id: OWNER, plan: 'free' },
    organization: null,
    scopes: [scope],
    ...openPolicies,
    tool_policy: { mode: 'blacklist', tools: inputs.excluded.map(idOf), custom_tools: null },
    agent_policy: inputs.agent_policy,
    default_agent_id: inputs.default_agent_id,
    team_ids: null,
    audit_arguments: inputs.audit_arguments,
    restrictions: null,
    tool_listing: inputs.tool_listing,
  };
  let isRevoked = false;
  const mcp = createMcp(
    {
      publicUrl: 'http://localhost:4200',
      allowedOrigins: null,
      resourceMetadata: inputs.resource_metadata,
      version: '1.2.3',
      recordUse() {},
      async authenticate({ headers }) {
        if (headers['x-api-key'] === 'away') throw unavailable('PostgreSQL is unreachable');
        authentications += 1;
        await inputs.whileAuthenticating();
        if (headers['x-api-key'] === 'good' && !inputs.isRevoked)
          return { ...caller, scopes: [{ ...scope, nonce: inputs.nonce }] };
        if (headers['x-api-key'] === 'revoked meanwhile' && !isRevoked) {
          isRevoked = true;
          return caller;
        }
        throw unauthenticated('invalid_credential', 'The credential is not valid.');
      },
      visibility: createVisibility({
        organizations: noOrganizations,
        runnable: noCustomTools,
        authz: {
          generation: () => generation,
          checkEach: async () => [],
          requireCurrent: async () => {},
          async context() {
            contexts += 1;
            await inputs.whileDeciding();
            if (inputs.capabilities === 'unavailable') throw unavailable('OpenFGA is unreachable');
            const { connected } = inputs;
            return { connected, capabilities: new Set(inputs.capabilities), active: new Set() };
          },
          check: async () => new Map(),
        },
        catalog,
        readContents: async () => ({
          selected_tools: new Set(inputs.selected.map(idOf)),
          selected_prompts: new Set(),
          items: inputs.items,
          quarantined: new Set(),
        }),
        cached: false,
      }),
      limits: {
        async admit(request) {
          admissions.push(request);
          await inputs.whileAdmitting();
          if (inputs.admission === 'unavailable') throw unavailable('the ledger is full');
          return inputs.admission;
        },
        record: (row) => void recorded.push(row),
      },
      tracing: noTracing,
      report: () => {},
      reportWithoutCredential: () => {},
      observeCall: (one) => void observed.push(one),
      recordDecision: () => {},
      retry: createRetry(),
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
      log: createLog('silent'),
      pageItems: inputs.pageItems,
    },
    () => ({
      legacy: { handle: async (_request, response) => void response.writeHead(418).end() },
      openListen: async (_call, response) => void response.writeHead(418).end(),
    }),
  );
  const app = await createGatewayApp({ mcp: mcp.register });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;

  /** Sends a 2026-07-28 request, well-formed unless `headers` or `body` override it. */
  async function post(method: string, params: object = {}, overrides: Overrides = {}) {
    const { headers = {}, body, signal } = overrides;
    const name =
      (params as { name?: string; uri?: string }).name ?? (params as { uri?: string }).uri;
    const meta = { ...envelope, ...overrides.meta };
    const response = await fetch(url, {
      method: 'POST',
      headers: withoutNulls({
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': 'good',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
        ...headers,
      }),
      body:
        body ??
        JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: meta } }),
      ...(signal ? { signal } : {}),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text ? JSON.parse(text) : null,
    };
  }

  const call = (name: unknown, args?: unknown, overrides: Overrides = {}) =>
    post('tools/call', { name, ...(args === undefined ? {} : { arguments: args }) }, overrides);

  /** Returns how often the authorization context was read. */
  const contextReads = () => contexts;
  const authenticationReads = () => authentications;
  return {
    url,
    port,
    inputs,
    contextReads,
    authenticationReads,
    caller,
    toolId: idOf,
    admissions,
    recorded,
    observed,
    post,
    call,
  };
}

interface Overrides {
  headers?: Record<string, string | null>;
  meta?: Record<string, unknown>;
  body?: string;
  signal?: AbortSignal;
}

export const envelope = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'test', version: '1' },
  [`${META}clientCapabilities`]: {},
};

const withoutNulls = (headers: Record<string, string | null>) =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null),
  );
