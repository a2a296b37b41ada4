import { onTestFinished } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startSdkV1 } from '../../support/upstreams/sdk-v1.ts';
import { byAda } from './acting.ts';
import type { PrepareAction, ActionContext } from './acting.ts';

const path = '/api/me/upstreams';
const draft = { name: 'docs', url: 'https://example.com/mcp' };

const add = async ({ ada }: ActionContext, url = draft.url) => {
  const { body } = await ada.person.ask<{ id: string }>({
    path,
    body: { ...draft, url },
    headers: ada.bearer,
  });
  return body.id;
};
const target = (id: string) => ({ target: [{ type: 'upstream', id }] });

/** Actions on upstreams. */
export const upstreamActs: Partial<Record<Action, PrepareAction>> = {
  'upstream.create': async (there) => ({
    ask: () => byAda(there, { path, body: draft }),
    expected: ({ body }) => target((body as { id: string }).id),
  }),
  'upstream.update': async (there) => {
    const id = await add(there);
    const body = { headers: { 'x-team': 'a' } };
    return {
      ask: () => byAda(there, { method: 'PATCH', path: `${path}/${id}`, body }),
      expected: () => target(id),
    };
  },
  'upstream.delete': async (there) => {
    const id = await add(there);
    return {
      ask: () => byAda(there, { method: 'DELETE', path: `${path}/${id}` }),
      expected: () => target(id),
    };
  },
  'custom_tool.hold': async (there) => {
    const server = await startSdkV1();
    onTestFinished(server.close);
    const upstream = await add(there, server.url);
    const id = newId();
    const { account_id } = there.ada;
    await there.world.query(
      `INSERT INTO item (id, space_id, family, name, version, head)
       VALUES ($1, $2, 'tool', 'echo', 1, '{}')`,
      [id, account_id],
    );
    await there.world.query(
      `INSERT INTO pinned_tool (item_id, space_id, upstream_id, tool, pin)
       VALUES ($1, $2, $3, 'echo', 'as it was once')`,
      [id, account_id, upstream],
    );
    return {
      ask: () => byAda(there, { path: `${path}/${upstream}/tools` }),
      expected: () => ({
        isOperator: true,
        account: account_id,
        target: [{ type: 'custom_tool', id }],
      }),
    };
  },
};
