import type { SignedUp } from '../../support/people/people.ts';
import { createKey } from '../../support/people/people.ts';
import { askAs, createRole } from '../../support/people/organizations.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';
import type { AnswerBody } from '../mcp/key-holder.ts';
import { create, FAMILIES } from './content-items.ts';
import type { FamilyPath } from './content-items.ts';

export const CAPABILITIES = ['tools', 'resources', 'prompts', 'agents'];
const SYSTEM = ['setup', 'bootstrap', 'agent_context'];

/** The names that a credential sees over MCP, by family. */
export interface Seen {
  tools: string[];
  prompts: string[];
  resources: string[];
  agents: string[];
}

/** Fields of structured results that tests read. */
interface Result {
  id: string;
  status?: string;
  data: Record<string, unknown>[];
}

/** Sends requests with one credential to one gateway. */
export function createAgent({ url }: Pick<Gateway, 'url'>, secret: string) {
  const send = (method: string, params: { name?: string; [field: string]: unknown } = {}) =>
    ask(`${url}/mcp`, { 'x-api-key': secret }, method, params);
  const listed = async (method: string, member: string, field: string) => {
    const { body } = await send(method);
    const entries = (body.result as unknown as Record<string, Record<string, string>[]>)[member];
    return (entries ?? []).map((one) => one[field]!);
  };
  const call = async (name: string, input: object = {}): Promise<AnswerBody> =>
    (await send('tools/call', { name, arguments: input })).body;

  const read = async (uri: string): Promise<AnswerBody> => {
    const headers = { 'x-api-key': secret, 'mcp-name': uri };
    return (await ask(`${url}/mcp`, headers, 'resources/read', { uri })).body;
  };

  return {
    ...{ send, call, read },
    /** Returns the structured result of a tool, or the code of its error. */
    async run(name: string, input: object = {}): Promise<Result> {
      const { result, error } = await call(name, input);
      const code = error?.code ?? result.structuredContent?.error?.code;
      return (code ?? result.structuredContent) as unknown as Result;
    },
    async seen(): Promise<Seen> {
      const { result } = await call('bootstrap', {
        ...{ primary_agent: true, request_agent_catalog: true },
      });
      const { agents = [] } = result.structuredContent['catalog'] as {
        agents?: { name: string }[];
      };
      const tools = await listed('tools/list', 'tools', 'name');
      return {
        tools: tools.filter((name) => !SYSTEM.includes(name)),
        prompts: await listed('prompts/list', 'prompts', 'name'),
        resources: await listed('resources/list', 'resources', 'uri'),
        agents: agents.map(({ name }) => name),
      };
    },
    /** Returns whether an item can be read or, for a tool, whether it is found and permitted. */
    async reads(family: keyof Seen, name: string): Promise<boolean> {
      if (family === 'prompts') return !('error' in (await send('prompts/get', { name })).body);
      if (family === 'resources') return !('error' in (await read(name)));
      if (family === 'agents') {
        const found = await this.run('agent_context', { name, components: [] });
        return found.status !== 'agent_context_unavailable';
      }
      const body = await call(name);
      const code = body.error?.code ?? body.result.structuredContent?.error?.code;
      return ![-32601, 'tool_not_permitted', 'capability_denied'].includes(code as never);
    },
  };
}

/** Returns the MCP names of an item in the place with this prefix. */
export const namesIn = (prefix: '' | 'me' | (string & {}), name = 'guide'): Seen => {
  const uri = prefix === '' ? 'org' : prefix === 'me' ? 'me' : `team/${prefix}`;
  const slashed = prefix === '' ? name : `${prefix}/${name}`;
  return {
    tools: [prefix === '' ? name : `${prefix}__${name}`],
    prompts: [slashed],
    resources: [`toolgate://${uri}/${name}.md`],
    agents: [slashed],
  };
};

/** Merges the names of several places, sorted as in lists. */
export const union = (...places: readonly Seen[]): Seen => {
  const all = (family: keyof Seen) => places.flatMap((one) => one[family]).toSorted();
  return {
    ...{ tools: all('tools'), prompts: all('prompts') },
    ...{ resources: all('resources'), agents: all('agents') },
  };
};

/**
 * Creates an organization with items of the same name, one of each family, in its catalog, in two
 * teams and in members' spaces. `mia` is only in the team `red`.
 */
export async function createUnionWorld(teams: TeamsWorld) {
  const { id, owner, path: red, add, remove } = await teams.organization('red');
  const organization = `/api/organizations/${id}`;
  const blue = seatsOf(id, (await createTeam(owner, id, 'blue')).id).path;
  const role = await createRole(owner, id, { name: 'Agents', capabilities: CAPABILITIES });
  const mia = await teams.join(id, 'mia', [role.id]);
  await add(owner, mia);
  const items = {} as Record<FamilyPath, Record<string, string>>;
  for (const family of FAMILIES) {
    const createIn = async (who: SignedUp, path: string, fields = {}) =>
      (await create(who, path, family, fields)).body.id;
    const wide = family === 'resources' ? { path: 'wide.md' } : { name: 'wide' };
    items[family] = {
      catalog: await createIn(owner, organization),
      wide: await createIn(owner, organization, { ...wide, organization_wide: true }),
      red: await createIn(owner, red),
      blue: await createIn(owner, blue),
      mia: await createIn(mia, `${organization}/me`),
      owner: await createIn(owner, `${organization}/me`),
      personal: await createIn(mia, '/api/me'),
    };
  }
  const key = await createKey(mia, { org_scope: id, mcp_capabilities: CAPABILITIES });
  return {
    ...{ id, organization, owner, mia, red, blue, items, key, role },
    leave: () => remove(owner, mia),
    join: () => add(owner, mia),
    policy: (family: string, body: object, team = red) =>
      askAs(owner, { method: 'PUT', path: `${team}/policies/${family}`, body }),
  };
}
