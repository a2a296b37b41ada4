import { askAs } from '../../../support/people/organizations.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import type { AuthorizationServer } from '../../../support/upstreams/authorization-server.ts';
import { ask as askMcp } from '../../mcp/key-holder.ts';

export interface ProblemBody {
  errors: { code: string; message: string; detail: Record<string, unknown> | null }[];
}

export interface Connection extends ProblemBody {
  state: string;
  account: string | null;
  scopes: string[];
  connected_by: string | null;
  connected_by_email: string | null;
  issuer: string | null;
  may_connect: boolean;
}

const ME = '/api/me';

/** Adds an upstream that is authorized with OAuth; returns its id. */
export async function addUpstream(
  who: SignedUp,
  url: string,
  oauth: object = {},
  api = ME,
): Promise<string> {
  const { status, body } = await askAs<{ id: string }>(who, {
    path: `${api}/upstreams`,
    body: { name: `u${crypto.randomUUID()}`, url, oauth },
  });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.id;
}

/** Requests about the connection to one upstream. */
export const connectionOf = (who: SignedUp, id: string, api = ME) => ({
  begin: () =>
    askAs<{ authorization_url: string } & ProblemBody>(who, {
      method: 'POST',
      path: `${api}/upstreams/${id}/connect`,
    }),
  complete: (parameters: object) =>
    askAs<Connection>(who, {
      method: 'PUT',
      path: `${api}/upstreams/${id}/connection`,
      body: parameters,
    }),
  get: () => askAs<Connection>(who, { path: `${api}/upstreams/${id}/connection` }),
  disconnect: () =>
    askAs<ProblemBody>(who, { method: 'DELETE', path: `${api}/upstreams/${id}/connection` }),
  approve: (issuer: string) =>
    askAs<ProblemBody>(who, { path: `${api}/upstreams/${id}/approve-issuer`, body: { issuer } }),
  tools: () =>
    askAs<{ data: { name: string }[] } & ProblemBody>(who, {
      path: `${api}/upstreams/${id}/tools`,
    }),
});

/** Begins a connection; returns where the browser is sent. */
export async function beginAt(who: SignedUp, id: string, api = ME): Promise<string> {
  const { status, body } = await connectionOf(who, id, api).begin();
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.authorization_url;
}

/** Goes through the pages of the authorization server; returns the parameters of its redirect. */
export async function authorize(
  server: Pick<AuthorizationServer, 'signIn'>,
  location: string,
  login: string,
): Promise<Record<string, string>> {
  const back = await server.signIn(location, login);
  return Object.fromEntries(back.searchParams);
}

/** Connects an account, as a person does in the dashboard. */
export async function connect(
  who: SignedUp,
  {
    id,
    api = ME,
    server,
    login,
  }: {
    id: string;
    api?: string;
    server: Pick<AuthorizationServer, 'signIn'>;
    login: string;
  },
): Promise<Connection> {
  const parameters = await authorize(server, await beginAt(who, id, api), login);
  const { status, body } = await connectionOf(who, id, api).complete(parameters);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** Adds a tool of an upstream as a custom tool; returns its name. */
export async function offer(who: SignedUp, upstream_id: string, tool = 'whoami', api = ME) {
  const name = `${tool}_${crypto.randomUUID().slice(0, 8)}`;
  const { status, body } = await askAs<{ id: string }>(who, {
    path: `${api}/custom-tools`,
    body: { name, kind: 'mcp', mcp: { upstream_id, tool } },
  });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return { name, id: body.id };
}

/** Calls a tool with a key; returns its result. */
export async function callWith(url: string, secret: string, name: string) {
  const { body } = await askMcp(`${url}/mcp`, { 'x-api-key': secret }, 'tools/call', {
    name,
    arguments: {},
  });
  return body.result;
}
