import { onTestFinished } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import { newId } from '../../../src/platform/ids.ts';
import { offeredContent } from '../../support/upstreams/content.ts';
import { startSdkV1 } from '../../support/upstreams/sdk-v1.ts';
import { startAuthorizationServer } from '../../support/upstreams/authorization-server.ts';
import { startOAuthUpstream } from '../../support/upstreams/oauth-upstream.ts';
import { authorize, beginAt } from '../upstreams/oauth/connecting.ts';
import { byAda } from './action-context.ts';
import type { PrepareAction, ActionContext } from './action-context.ts';

const path = '/api/me/upstreams';
const draft = { name: 'docs', url: 'https://example.com/mcp?token=secret' };

const add = async ({ ada }: ActionContext, url = draft.url, fields: object = {}) => {
  const { body } = await ada.person.ask<{ id: string }>({
    path,
    body: { ...draft, url, ...fields },
    headers: ada.bearer,
  });
  return body.id;
};
const expectedFor = (id: string, detail: object) => ({
  target: [{ type: 'upstream', id }],
  detail,
});
// The query of an address may contain a token, so it is left out.
const first = { name: draft.name, url: 'https://example.com/mcp', header_names: [] };

/** Begins to connect an account, and goes through the pages of the authorization server. */
async function beginIn(context: ActionContext) {
  const server = await startAuthorizationServer({ registration: true });
  const mcp = await startOAuthUpstream(server);
  onTestFinished(async () => {
    await Promise.all([server.close(), mcp.close()]);
  });
  const id = await add(context, mcp.url, { oauth: {} });
  const response = await authorize(server, await beginAt(context.ada, id), 'ada');
  return { id, server, response };
}

/** The audited actions on upstreams. */
export const upstreamActs: Partial<Record<Action, PrepareAction>> = {
  'upstream.create': async (context) => ({
    ask: () => byAda(context, { path, body: draft }),
    expected: ({ body }) => expectedFor((body as { id: string }).id, { after: first }),
  }),
  'upstream.update': async (context) => {
    const id = await add(context);
    const body = { headers: { 'x-team': 'a' } };
    return {
      ask: () => byAda(context, { method: 'PATCH', path: `${path}/${id}`, body }),
      expected: () =>
        expectedFor(id, { before: first, after: { ...first, header_names: ['x-team'] } }),
    };
  },
  'upstream.import': async (context) => {
    const server = await startSdkV1();
    onTestFinished(server.close);
    const id = await add(context, server.url);
    const body = { tools: { names: ['echo', 'fails'] } };
    return {
      ask: () => byAda(context, { path: `${path}/${id}/import`, body }),
      expected: () => expectedFor(id, { created: 2, updated: 0, skipped: 0 }),
    };
  },
  'upstream.approve': async (context) => {
    const server = await startSdkV1();
    onTestFinished(server.close);
    const id = await add(context, server.url);
    const body = { tools: { names: ['echo'] } };
    await byAda(context, { path: `${path}/${id}/import`, body });
    server.tools['echo']!.description = 'Another one.';
    await byAda(context, { path: `${path}/${id}/tools` });
    return {
      ask: () => byAda(context, { path: `${path}/${id}/changes/approve`, body: {} }),
      expected: () => expectedFor(id, { created: 0, updated: 1, skipped: 0 }),
    };
  },
  'upstream.delete': async (context) => {
    const id = await add(context);
    return {
      ask: () => byAda(context, { method: 'DELETE', path: `${path}/${id}` }),
      expected: () => expectedFor(id, { before: first }),
    };
  },
  'upstream.approve_issuer': async (context) => {
    const id = await add(context, draft.url, { oauth: {} });
    const body = { issuer: 'https://issuer.example' };
    return {
      ask: () => byAda(context, { path: `${path}/${id}/approve-issuer`, body }),
      expected: () => expectedFor(id, { before: { issuer: null }, after: body }),
    };
  },
  'upstream.connect': async (context) => {
    const { id, server, response } = await beginIn(context);
    const detail = { connection: 'shared', issuer: server.issuer, scopes: ['tools:read'] };
    return {
      ask: () =>
        byAda(context, { method: 'PUT', path: `${path}/${id}/connection`, body: response }),
      expected: () => expectedFor(id, detail),
    };
  },
  'upstream.disconnect': async (context) => {
    const { id, response } = await beginIn(context);
    await byAda(context, { method: 'PUT', path: `${path}/${id}/connection`, body: response });
    return {
      ask: () => byAda(context, { method: 'DELETE', path: `${path}/${id}/connection` }),
      expected: () => expectedFor(id, { connection: 'shared' }),
    };
  },
  'custom_tool.hold': async (context) => {
    const server = await startSdkV1();
    onTestFinished(server.close);
    const upstream = await add(context, server.url);
    const id = newId();
    const { account_id } = context.ada;
    await context.world.query(
      `INSERT INTO item (id, space_id, family, name, version, head)
       VALUES ($1, $2, 'tool', 'echo', 1, '{}')`,
      [id, account_id],
    );
    await context.world.query(
      `INSERT INTO pinned_tool (item_id, space_id, upstream_id, tool, pin)
       VALUES ($1, $2, $3, 'echo', 'as it was once')`,
      [id, account_id, upstream],
    );
    return {
      ask: () => byAda(context, { path: `${path}/${upstream}/tools` }),
      expected: () => ({
        isOperator: true,
        account: account_id,
        target: [{ type: 'custom_tool', id }],
      }),
    };
  },
  'prompt.hold': (context) =>
    holdContent(context, { family: 'prompt', source: 'summarize', listed: { prompts: {} } }),
  'resource.hold': (context) =>
    holdContent(context, { family: 'resource', source: 'docs://logo', listed: { resources: {} } }),
};

/** Lists what a server offers, which differs from the pin of an item. */
async function holdContent(
  context: ActionContext,
  { family, source, listed }: { family: string; source: string; listed: object },
) {
  const server = await startSdkV1();
  onTestFinished(server.close);
  const { prompts, resources } = offeredContent();
  Object.assign(server.prompts, prompts);
  Object.assign(server.resources, resources);
  const upstream = await add(context, server.url);
  const id = newId();
  const { account_id } = context.ada;
  await context.world.query(
    `INSERT INTO item (id, space_id, family, name, version, head)
     VALUES ($1, $2, $3, 'one', 1, '{}')`,
    [id, account_id, family],
  );
  await context.world.query(
    `INSERT INTO pinned_content (item_id, space_id, family, upstream_id, source, pin)
     VALUES ($1, $2, $3, $4, $5, 'as it was once')`,
    [id, account_id, family, upstream, source],
  );
  const body = { dry_run: true, ...listed };
  return {
    ask: () => byAda(context, { method: 'POST', path: `${path}/${upstream}/import`, body }),
    expected: () => ({
      isOperator: true as const,
      account: account_id,
      target: [{ type: family, id }],
    }),
  };
}
