import '../api/without-eval.ts';
import {
  Client,
  createFetchWithInit,
  discoverAuthorizationServerMetadata,
  exchangeAuthorization,
  ProtocolError,
  SdkHttpError,
  startAuthorization,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { NO_ANSWER, RequestError } from '../api/request.ts';
import { toolItem, promptItem, resourceItem } from './items.ts';
import type { TryItem, Values } from './items.ts';
import type { Outcome, TryConnection } from './try-connection.ts';

/** The client `toolgate-try-it`, which a migration registered. */
const CLIENT = { client_id: '746f6f6c-6761-7465-a000-7472792d6974' };
const SCOPES = 'mcp_tools mcp_resources mcp_prompts mcp_agents';

/** A request with the cookie of the session next to a token would be ambiguous. */
const withoutCookies = createFetchWithInit(fetch, { credentials: 'omit' });

/** What the authorization server sent to the callback. */
export interface AuthorizationAnswer {
  code: string;
  iss: string | null;
}

/** An authorization that waits for the person's decision. */
export interface Authorization {
  /** Address at which the person decides. */
  url: URL;
  state: string;
  /** Exchanges the code for a token, which stays in memory, and connects with it. */
  finish(answer: AuthorizationAnswer): Promise<TryConnection>;
}

/** Starts to authorize this page in an organization or, with null, in the person's own account. */
export async function startAuthorizing(organization_id: string | null): Promise<Authorization> {
  const { origin } = location;
  const metadata = await discoverAuthorizationServerMetadata(origin, { fetchFn: withoutCookies });
  if (metadata === undefined) throw new RequestError(NO_ANSWER, [], null);
  const shared = { metadata, clientInformation: CLIENT, resource: `${origin}/mcp` };
  const redirectUrl = `${origin}/app/try/callback`;
  const state = crypto.randomUUID();
  const { authorizationUrl: url, codeVerifier } = await startAuthorization(origin, {
    ...{ ...shared, redirectUrl, scope: SCOPES, state },
  });
  if (organization_id !== null) url.searchParams.set('organization_id', organization_id);
  return {
    ...{ url, state },
    async finish({ code, iss }) {
      const { access_token } = await exchangeAuthorization(origin, {
        ...{ ...shared, codeVerifier, authorizationCode: code, redirectUri: redirectUrl },
        ...{ fetchFn: withoutCookies, ...(iss === null ? {} : { iss }) },
      });
      return connect(access_token, organization_id);
    },
  };
}

interface Claims {
  /** Id of the connection. */
  cid: string;
  /** Id of the account. */
  sub: string;
  exp: number;
}

function claimsOf(token: string): Claims {
  const [, payload = ''] = token.split('.');
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Claims;
}

async function connect(token: string, organization_id: string | null): Promise<TryConnection> {
  const { cid, sub, exp } = claimsOf(token);
  const client = new Client(
    { name: 'toolgate-try-it', title: 'Try it', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', location.origin), {
      authProvider: { token: async () => token },
      fetch: withoutCookies,
    }),
  );
  return {
    ...{ id: cid, account_id: sub, organization_id, expires_at: exp * 1_000 },
    list: () => listItems(client).catch((error: unknown) => Promise.reject(failureOf(error))),
    run: (item, values) => runItem(client, item, values),
    close: () => client.close(),
  };
}

/** Nothing is answered from the client's own cache. */
const fresh = { cacheMode: 'refresh' } as const;

async function listItems(client: Client): Promise<TryItem[]> {
  const [{ tools }, { prompts }, { resources }] = await Promise.all([
    client.listTools({}, fresh),
    client.listPrompts({}, fresh),
    client.listResources({}, fresh),
  ]);
  return [...tools.map(toolItem), ...prompts.map(promptItem), ...resources.map(resourceItem)];
}

async function runItem(
  client: Client,
  { family, name }: TryItem,
  values: Values,
): Promise<Outcome> {
  const started = performance.now();
  const outcome = async (): Promise<Omit<Outcome, 'ms'>> => {
    try {
      const answer = await send(client, family, name, values);
      const code = errorCodeOf(answer);
      return { kind: code === null ? 'answered' : 'failed', answer, code, issues: [] };
    } catch (error) {
      return refusalOf(error, family === 'prompt' ? '/arguments' : '');
    }
  };
  return { ...(await outcome()), ms: Math.round(performance.now() - started) };
}

/** Sends a call as it is: the client's own check of results would hide what was returned. */
function send(client: Client, family: TryItem['family'], name: string, values: Values) {
  if (family === 'resource') return client.readResource({ uri: name }, fresh);
  if (family === 'tool')
    return client.request({ method: 'tools/call', params: { name, arguments: { ...values } } });
  const texts = Object.entries(values).filter(([, value]) => value !== undefined);
  return client.getPrompt({ name, arguments: Object.fromEntries(texts) as Record<string, string> });
}

function errorCodeOf(answer: object): string | null {
  if (!('isError' in answer) || answer.isError !== true) return null;
  const { error } = (('structuredContent' in answer && answer.structuredContent) || {}) as {
    error?: { code?: unknown };
  };
  return typeof error?.code === 'string' ? error.code : 'tool_error';
}

/**
 * Returns what a call was refused with; throws for a token that has ended, and without an answer.
 * Pointers to arguments start with `prefix`.
 */
function refusalOf(error: unknown, prefix: string): Omit<Outcome, 'ms'> {
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    const details = (data ?? {}) as { code?: unknown; issues?: Outcome['issues'] };
    return {
      kind: 'refused',
      answer: { error: { code, message, ...(data === undefined ? {} : { data }) } },
      code: typeof details.code === 'string' ? details.code : String(code),
      issues: (details.issues ?? []).map(({ pointer, ...issue }) => ({
        ...issue,
        pointer: pointer.startsWith(prefix) ? pointer.slice(prefix.length) : pointer,
      })),
    };
  }
  throw failureOf(error);
}

/** Returns the error for a request without an answer of MCP: 401 if the token is not accepted. */
function failureOf(error: unknown): RequestError {
  const isOver =
    error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401);
  return new RequestError(isOver ? 401 : NO_ANSWER, [], null);
}
