import { onTestFinished } from 'vitest';
import { json, result, startHostile, tool } from '../../support/upstreams/hostile.ts';
import { startSdkV1 } from '../../support/upstreams/sdk-v1.ts';
import { startSdkV2 } from '../../support/upstreams/sdk-v2.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { createAuthor } from '../content/author.ts';
import type { Author } from '../content/author.ts';

interface Added {
  tool: string;
  name: string;
  id: string | null;
  pin: string;
}

/** The body of a response about the tools of an upstream. */
export interface ImportBody {
  created: Added[];
  updated: Added[];
  skipped: { tool: string; code: string; message: string }[];
  warnings: { tool: string; code: string }[];
}

export interface ChangesBody {
  data: {
    change: string;
    tool: string;
    name: string;
    custom_tool_id: string | null;
    approved: { description: string } | null;
    found: { description: string; pin: string } | null;
  }[];
  following: { prefix: string; checked_at: string | null; failure: string | null } | null;
}

/** Creates a gateway, a server of each SDK, and an account that adds whole servers. */
export async function createFollowedWorld() {
  const [v1, v2] = await Promise.all([startSdkV1(), startSdkV2()]);
  const world = await createWorld({ OUTBOUND_ALLOW: '127.0.0.1' });
  const gateway = await world.gateway();
  const newAuthor = () => createAuthor(world, gateway);
  return {
    ...{ world, gateway, v1, v2, newAuthor, ada: await newAuthor() },
    async close() {
      await world.close();
      await Promise.all([v1.close(), v2.close()]);
    },
  };
}

/** Adds an upstream and returns its id and requests about its tools. */
export async function addServer(author: Author, url: string, name = `u${crypto.randomUUID()}`) {
  const added = await author.rest('/api/me/upstreams', { name, url });
  const path = `/api/me/upstreams/${added.body.id}`;
  return {
    ...{ id: added.body.id, path },
    async import(body: object = {}) {
      const { status, body: imported } = await author.rest(`${path}/import`, body);
      return { status, body: imported as unknown as ImportBody, raw: imported };
    },
    discover: () => author.rest(`${path}/tools`),
    async changes() {
      const { status, body } = await author.rest(`${path}/changes`);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body as unknown as ChangesBody;
    },
    async approve(body: object = {}) {
      const { body: approved } = await author.rest(`${path}/changes/approve`, body);
      return approved as unknown as ImportBody;
    },
  };
}

/** Starts a server that lists these tools, which may be any JSON. */
export const startListing = (tools: () => readonly object[]) =>
  startHostile({
    'tools/list': (request, response) => json(response, result(request, { tools: tools() })),
    'tools/call': (request, response) =>
      json(response, result(request, { content: [{ type: 'text', text: 'called' }] })),
  });

export { tool };

/** Starts a server with these tools, which a test may change, and adds it for an account. */
export async function ownServer(owner: Author, tools: readonly object[]) {
  const server = await startListing(() => tools);
  onTestFinished(server.close);
  const name = (await owner.rest('/api/me/upstreams')).body.data.length === 0 ? 'docs' : undefined;
  return { owner, server, upstream: await addServer(owner, server.url, name) };
}

export const namesOf = (added: readonly Added[]) => added.map(({ name }) => name).toSorted();
