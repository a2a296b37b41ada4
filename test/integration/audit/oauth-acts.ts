import { expect } from 'vitest';
import type { CreatedClient } from '../../../src/oauth/clients/schema.ts';
import type { Action } from '../../../src/caller/actions.ts';
import { createOAuthPeer, insertClient } from '../../support/people/oauth.ts';
import { edit, OWN, register, registered } from '../oauth/clients/registering.ts';
import { byAda } from './action-context.ts';
import type { ActionContext, PrepareAction } from './action-context.ts';

const draft = {
  ...{ name: 'Editor', type: 'confidential', grant_types: ['authorization_code'] },
  ...{ redirect_uris: ['https://client.example/cb'], allowed_scopes: ['mcp_tools'] },
};
/** The audited fields of such a client. */
const audited = {
  ...{ ...draft, require_pkce: true },
  ...{ follows_teams: false, team_ids: null, disabled: false },
};

const targetOf = (id: string) => [{ type: 'oauth_client', id }];

const withClient = ({ ada }: ActionContext) => registered(ada, OWN, draft);

/** Inserts a client of Ada's, and starts an authorization of it. */
async function withRequest({ world, gateway, ada }: ActionContext) {
  const peer = createOAuthPeer(gateway);
  const client = await insertClient(world, {
    ...{ owner: { account_id: ada.account_id }, scopes: ['mcp_agents'] },
  });
  return { peer, client, started: await peer.start(client) };
}

/** Authorizes a client of Ada's, up to its first token. */
async function withConnection(context: ActionContext) {
  const { peer, client } = await withRequest(context);
  const tokens = await peer.exchange(client, await peer.authorize(client, context.ada));
  if (tokens.status !== 200) throw new Error(`tokens: ${JSON.stringify(tokens.body)}`);
  const [row] = await context.world.query<{ id: string }>(
    'SELECT id FROM oauth_connection WHERE client_id = $1',
    [client.id],
  );
  const { id } = row!;
  return {
    ...{ peer, client, tokens: tokens.body, target: [{ type: 'connection', id }] },
    ...{ id, path: `/api/me/connections/${id}` },
    audited: auditedConnection(context, client.id),
  };
}

/** The audited fields of a connection to a client of Ada's. */
const auditedConnection = ({ ada }: ActionContext, client_id: string) => ({
  ...{ client_id, account_id: ada.account_id, organization_id: null, scopes: ['mcp_agents'] },
  ...{ follows_teams: false, has_own_authority: false, team_ids: [], default_agent_id: null },
  ...{ tool_listing: 'all', allowed_addresses: null, hours: null },
});

const secretDetail = {
  name: 'Editor',
  secret: { id: expect.any(String), prefix: expect.any(String) },
};

/** The audited actions on OAuth clients and connections. */
export const oauthActs: Partial<Record<Action, PrepareAction>> = {
  'oauth_client.create': async ({ ada }) => ({
    ask: () => register(ada, OWN, draft),
    expected: ({ body }) => ({
      target: targetOf((body as CreatedClient).id),
      detail: { after: audited },
    }),
  }),
  'oauth_client.update': async (context) => {
    const { id, path } = await withClient(context);
    return {
      ask: () => edit(context.ada, path, { name: 'Writer' }),
      expected: () => ({
        target: targetOf(id),
        detail: { before: audited, after: { ...audited, name: 'Writer' } },
      }),
    };
  },
  'oauth_client.delete': async (context) => {
    const { id, path } = await withClient(context);
    return {
      ask: () => byAda(context, { method: 'DELETE', path }),
      expected: () => ({ target: targetOf(id), detail: { before: audited } }),
    };
  },
  'oauth_client_secret.create': async (context) => {
    const { id, path } = await withClient(context);
    return {
      ask: () => byAda(context, { method: 'POST', path: `${path}/secrets` }),
      expected: () => ({ target: targetOf(id), detail: secretDetail }),
    };
  },
  'oauth_client_secret.delete': async (context) => {
    const { id, path, secrets } = await withClient(context);
    return {
      ask: () => byAda(context, { method: 'DELETE', path: `${path}/secrets/${secrets[0]!.id}` }),
      expected: () => ({ target: targetOf(id), detail: secretDetail }),
    };
  },
  'connection.create': async (context) => {
    const { client, started } = await withRequest(context);
    const path = `/oauth/consent/${started.uid}/decision`;
    return {
      ask: () =>
        byAda(context, { path, body: { allow: true }, headers: { cookie: started.cookie } }),
      async expected() {
        const [row] = await context.world.query<{ id: string }>(
          'SELECT id FROM oauth_connection WHERE client_id = $1',
          [client.id],
        );
        return {
          target: [{ type: 'connection', id: row!.id }],
          detail: { after: auditedConnection(context, client.id) },
        };
      },
    };
  },
  'connection.update': async (context) => {
    const agent = { name: 'writer', description: 'Writes.', instructions: 'Write.' };
    const created = await byAda(context, { path: '/api/me/agents', body: agent });
    const default_agent_id = (created.body as { id: string }).id;
    const connection = await withConnection(context);
    const { path, target } = connection;
    return {
      ask: () => byAda(context, { method: 'PATCH', path, body: { default_agent_id } }),
      expected: () => ({
        target,
        detail: {
          before: connection.audited,
          after: { ...connection.audited, default_agent_id },
        },
      }),
    };
  },
  'connection.replay': async (context) => {
    const { peer, client, tokens, ...connection } = await withConnection(context);
    const { target } = connection;
    await peer.refresh(client, tokens['refresh_token']!);
    await context.world.query(
      `UPDATE oauth_artifact SET consumed_at = consumed_at - interval '1 minute'
       WHERE model = 'RefreshToken'`,
    );
    return {
      async ask() {
        const { status, headers, body } = await peer.refresh(client, tokens['refresh_token']!);
        // Errors of OAuth have a shape of their own.
        const errors = [{ code: 'service_unavailable', message: body['error_description'] }];
        return { status, headers, cookies: new Map(), body: status === 503 ? { errors } : body };
      },
      expected: () => ({
        ...{ isOperator: true, account: context.ada.account_id, target },
        detail: { before: connection.audited },
      }),
    };
  },
  'connection.revoke': async (context) => {
    const connection = await withConnection(context);
    const { path, target } = connection;
    return {
      ask: () => byAda(context, { method: 'DELETE', path }),
      expected: () => ({ target, detail: { before: connection.audited } }),
    };
  },
};
