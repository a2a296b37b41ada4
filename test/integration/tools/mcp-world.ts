import { startSdkV1 } from '../../support/upstreams/sdk-v1.ts';
import { startSdkV2 } from '../../support/upstreams/sdk-v2.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { createAuthor } from '../content/author.ts';
import type { Author } from '../content/author.ts';
import { path } from './tool-world.ts';

export const SECRET = 'Bearer canary-upstream-91';

/** Creates a gateway, an MCP server of each SDK, and two accounts that add their tools. */
export async function createMcpWorld() {
  const [v1, v2] = await Promise.all([startSdkV1(), startSdkV2()]);
  const world = await createWorld({ OUTBOUND_ALLOW: '127.0.0.1' });
  const gateway = await world.gateway();
  const ada = await createAuthor(world, gateway);
  const bob = await createAuthor(world, gateway);
  return {
    world,
    v1,
    v2,
    ada,
    bob,
    async close() {
      await world.close();
      await Promise.all([v1.close(), v2.close()]);
    },
  };
}

/** Adds an upstream with a secret header and returns its id. */
export async function addUpstream(author: Author, url: string): Promise<string> {
  const { body } = await author.rest('/api/me/upstreams', {
    name: `u${crypto.randomUUID()}`,
    url,
    headers: { Authorization: SECRET },
  });
  return body.id;
}

export const draftOf = (upstream_id: string, tool: string, fields: object = {}) => ({
  name: `${tool}_${crypto.randomUUID().slice(0, 8)}`,
  kind: 'mcp',
  mcp: { upstream_id, tool },
  ...fields,
});

/** Adds an upstream's tool as a custom tool; returns the custom tool and its path. */
export async function offer(author: Author, upstream_id: string, tool: string) {
  const { status, body } = await author.rest(path, draftOf(upstream_id, tool));
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return { body, name: String(body['name']), itemPath: `${path}/${body.id}` };
}
