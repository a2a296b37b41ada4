import { startUpstreamServer } from '../../support/peers/upstream-server.ts';
import { startSdkV2 } from '../../support/upstreams/sdk-v2.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { createAuthor } from '../content/author.ts';
import type { Author, ItemBody } from '../content/author.ts';
import { ask, toolId } from '../mcp/key-holder.ts';

/** Secret values, which no exported file may contain. */
export const SECRETS = { token: 'canary-token-5c1d', header: 'Bearer canary-header-90ab' };

/** A space file, as parsed from JSON. */
export interface SpaceFile {
  format: string;
  version: number;
  mcp_settings?: { tools: string[]; platform_prompts: string[] };
  upstreams: Record<string, unknown>[];
  resources: Record<string, unknown>[];
  prompts: Record<string, unknown>[];
  custom_tools: Record<string, unknown>[];
  agents: Record<string, unknown>[];
  next_cursor: string | null;
}

export interface Imported {
  created: Record<string, number>;
  replaced: Record<string, number>;
  skipped: Record<string, number>;
  missing: {
    upstreams: { id: string; name: string; headers: string[] }[];
    custom_tools: { id: string; name: string; secrets: string[] }[];
  };
}

/** Creates a gateway, and an HTTP and an MCP server that custom tools may call. */
export async function createSpaceWorld(env: Record<string, string> = {}) {
  const [upstream, mcp] = [await startUpstreamServer(), await startSdkV2()];
  const world = await createWorld({ OUTBOUND_ALLOW: '127.0.0.1', ...env });
  const gateway = await world.gateway();
  return {
    world,
    gateway,
    upstream,
    mcp,
    newAuthor: () => createAuthor(world, gateway),
    async close() {
      await world.close();
      upstream.close();
      await mcp.close();
    },
  };
}
export type SpaceWorld = Awaited<ReturnType<typeof createSpaceWorld>>;

export const exportPath = '/api/me/export';
export const importPath = '/api/me/import';

export const nothing = {
  upstreams: 0,
  resources: 0,
  prompts: 0,
  custom_tools: 0,
  agents: 0,
};

export async function exportOf(author: Author, cursor?: string): Promise<SpaceFile> {
  const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
  const { status, body } = await author.rest(`${exportPath}${query}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as unknown as SpaceFile;
}

export async function importInto(author: Author, file: object, query = '') {
  const answer = await author.rest(`${importPath}${query}`, file);
  return { status: answer.status, body: answer.body as ItemBody & Imported };
}

export const fileWith = (lists: object = {}) => ({
  format: 'toolgate-space',
  version: 1,
  ...lists,
});

export const prompt = (name: string, text = 'Hello.') => ({
  name,
  messages: [{ role: 'user', content: text }],
});

export const httpTool = (url: string, fields: object = {}) => ({
  name: 'weather',
  title: 'Weather',
  description: 'The weather of a city.',
  kind: 'http',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  annotations: { readOnlyHint: true },
  http: {
    method: 'GET',
    url: `${url}/v1/{{city}}`,
    headers: { authorization: '{{secret.TOKEN}}', 'x-more': '{{secret.MORE}}' },
  },
  ...fields,
});

/** Fills a space with every kind of item and condition, and with a quarantined tool. */
export async function fillSpace({ upstream, mcp }: SpaceWorld, author: Author) {
  const add = async (path: string, body: object) => {
    const answer = await author.rest(`/api/me/${path}`, body);
    if (answer.status !== 201) throw new Error(`${path} ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  };
  await author.rest(
    '/api/me/mcp-settings',
    {
      tools: [toolId('calculator'), toolId('uuid')],
      platform_prompts: [],
    },
    'PUT',
  );
  const upstreamId = await add('upstreams', {
    name: 'docs',
    url: mcp.url,
    headers: { Authorization: SECRETS.header, 'x-team': SECRETS.header },
  });
  const addUpstreamTool = (name: string, tool: string) =>
    add('custom-tools', { name, kind: 'mcp', mcp: { upstream_id: upstreamId, tool } });
  const echo = await addUpstreamTool('echoes', 'echo');
  await addUpstreamTool('counts', 'counts');
  mcp.tools['counts']!.description = 'Counts, and more than it said.';
  await author.rest(`/api/me/upstreams/${upstreamId}/tools`);
  const weather = await add('custom-tools', {
    ...httpTool(upstream.origin),
    secrets: { TOKEN: SECRETS.token, MORE: SECRETS.token },
  });
  await add('resources', { path: 'notes/a.md', title: 'A', text: 'Ünïcode “text”\n' });
  await add('resources', { path: 'notes/é.bin', blob: 'AAECAw==', mime_type: 'image/png' });
  const greet = await add('prompts', {
    ...prompt('greet', 'Hello {{who}}.'),
    arguments: [{ name: 'who', required: true }],
  });
  const deleted = await add('prompts', prompt('gone'));
  const other = await add('agents', {
    name: 'other',
    description: 'Helps.',
    instructions: 'Help.',
  });
  const when = (name: string, condition: object | null) => ({
    name,
    content: `On ${name}.`,
    when: condition,
  });
  const main = await add('agents', {
    name: 'main',
    description: 'Leads.',
    instructions: '# Lead',
    components: [
      when('always', null),
      when('can', { capability: 'tools' }),
      when('built_in', { tool: toolId('calculator') }),
      when('own', { tool: weather }),
      when('theirs', { tool: echo }),
      when('prompt', { prompt: greet }),
      when('gone', { prompt: deleted }),
      when('agent', { agent: other }),
      when('resource', { resource: 'notes/a.md' }),
    ],
  });
  const back = { components: [when('back', { agent: main })] };
  await author.rest(`/api/me/agents/${other}`, back, 'PATCH');
  await author.rest(`/api/me/prompts/${deleted}`, undefined, 'DELETE');
  return { weather, echo, greet, main, upstreamId };
}

/** Returns what a key with every capability sees over MCP. */
export async function seenBy(author: Author) {
  const { secret } = await author.createKey({
    mcp_capabilities: ['tools', 'resources', 'prompts', 'agents'],
  });
  const request = async (method: string, params?: object) => {
    const { body } = await ask(author.endpoint, { 'x-api-key': secret }, method, params as never);
    return body.result;
  };
  const bootstrap = (input: object) =>
    request('tools/call', { name: 'bootstrap', arguments: input });
  return {
    tools: await request('tools/list'),
    resources: await request('resources/list'),
    prompts: await request('prompts/list'),
    catalog: await bootstrap({ primary_agent: true }),
    main: await bootstrap({
      primary_agent: false,
      agent_selection: 'named',
      agent_name: 'main',
    }),
  };
}
