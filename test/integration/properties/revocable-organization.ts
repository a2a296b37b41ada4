import { randomUUID } from 'node:crypto';
import { credentialHeader } from '../../support/clients/credential-header.ts';
import type { ConnectionsSupport } from '../../support/people/connections.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { askAs, createOrganization, createRole } from '../../support/people/organizations.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';
import { createConnection } from './connected.ts';
import type { Use } from './key-races.ts';
import { argumentsOf, promptArguments, promptIds, smallCatalog } from './agents-reach.ts';

export const toolId = (name: string) => toolNamed(smallCatalog, name).id;
const PROMPT = smallCatalog.prompts().find(({ id }) => id === promptIds[0])!;

export async function must<Body>(who: SignedUp, request: SendRequest): Promise<Body> {
  const { status, body } = await askAs<Body>(who, request);
  if (status >= 300) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

interface Listed {
  result?: { isError?: boolean; tools?: { name: string }[]; prompts?: { name: string }[] };
  error?: object;
}

/** Returns uses of an item by a key: calls at even turns, lists at odd. A 503 counts as a refusal. */
function usesOf(secret: string, noun: 'tools' | 'prompts', name: string, params: object): Use {
  const send = async (gateway: Gateway, method: string, sent?: { name: string }) => {
    const headers = credentialHeader(secret);
    const { status, body } = await ask(`${gateway.url}/mcp`, headers, method, sent);
    const { result, error } = body as unknown as Listed;
    return status === 200 && error === undefined ? result : undefined;
  };
  return async (gateway, turn) => {
    if (turn % 2 === 1)
      return ((await send(gateway, `${noun}/list`))?.[noun] ?? []).some((one) => one.name === name);
    const method = noun === 'tools' ? 'tools/call' : 'prompts/get';
    const result = await send(gateway, method, { name, ...params });
    return result !== undefined && result.isError !== true;
  };
}
export const toolUses = (keys: readonly Key[], name: string) =>
  keys.map(({ secret }) => usesOf(secret, 'tools', name, { arguments: argumentsOf(name) }));
export const promptUses = (keys: readonly Key[]) =>
  keys.map(({ secret }) =>
    usesOf(secret, 'prompts', PROMPT.name, { arguments: promptArguments(PROMPT.name) }),
  );

/** A key, or a connection with its access token. */
export interface Key {
  id: string;
  secret: string;
}

interface Bound {
  team_ids?: readonly string[];
}

/** The number of keys of each kind. */
export const KEYS = 5;

/**
 * Creates an organization with a member who is in its teams `red` and `blue`. The tool `hash` and a
 * prompt are for everyone; only `red` admits `calculator`, only `blue` admits `uuid`, and neither
 * `encode_decode`.
 */
export async function createRevocable(
  owner: SignedUp,
  member: SignedUp,
  { joins, oauth }: { joins: Joins; oauth: ConnectionsSupport },
) {
  const { id } = await createOrganization(owner, `Acme ${randomUUID()}`);
  const path = `/api/organizations/${id}`;
  const put = (to: string, body: object) => must(owner, { method: 'PUT', path: to, body });
  const patch = (who: SignedUp, to: string, body: object) =>
    must(who, { method: 'PATCH', path: to, body });
  const remove = (who: SignedUp, of: string, body?: object) =>
    must(who, { method: 'DELETE', path: of, ...(body === undefined ? {} : { body }) });

  await put(`${path}/mcp-settings`, {
    tools: ['calculator', 'hash', 'uuid', 'encode_decode'].map(toolId),
    organization_wide_tools: [toolId('hash')],
    platform_prompts: [PROMPT.id],
    organization_wide_prompts: [PROMPT.id],
  });
  const roleOf = (name: string, ...capabilities: string[]) =>
    createRole(owner, id, { name, capabilities });
  const roles = {
    both: await roleOf('Both', 'tools', 'prompts'),
    edited: await roleOf('Edited', 'tools'),
    tools: await roleOf('Tools', 'tools'),
    prompts: await roleOf('Prompts', 'prompts'),
  };
  const shared = `${path}/team-roles`;
  const ofTeams = {
    tools: await createTeamRole(owner, shared, { name: 'Team tools', capabilities: ['tools'] }),
    prompts: await createTeamRole(owner, shared, { name: 'Prompting', capabilities: ['prompts'] }),
  };
  await joins.add(id, member, [roles.both.id]);
  const teamOf = async (name: string, tool: string) => {
    const team = await createTeam(owner, id, name);
    const seats = seatsOf(id, team.id);
    await put(`${seats.path}/policies/tool`, { mode: 'whitelist', tools: [toolId(tool)] });
    await must(owner, { path: `${seats.path}/members`, body: { account_id: member.account_id } });
    return { id: team.id, ...seats };
  };
  const teams = { red: await teamOf('red', 'calculator'), blue: await teamOf('blue', 'uuid') };

  const keysPath = { member: '/api/keys', owner: '/api/keys', organization: `${path}/keys` };
  const newKey = (of: keyof typeof keysPath, fields: object = {}) =>
    must<Key>(of === 'member' ? member : owner, {
      path: keysPath[of],
      body: {
        name: `key ${randomUUID()}`,
        mcp_capabilities: ['tools', 'prompts'],
        ...(of === 'organization' ? {} : { org_scope: id }),
        ...fields,
      },
    });
  const newConnection = (of: keyof typeof keysPath, { team_ids }: Bound = {}) =>
    createConnection(oauth, {
      ...{ organization_id: id, team_ids: team_ids ?? null, capabilities: ['tools', 'prompts'] },
      ...{ person: { member, owner, organization: null }[of], default_agent_id: null },
    });
  const bound = { team_ids: [teams.red.id] };
  /** Every second credential is an OAuth connection. */
  const several = async (of: keyof typeof keysPath, fields: Bound = {}, count = KEYS) => {
    const created: Key[] = [];
    while (created.length < count)
      created.push(await (created.length % 2 === 0 ? newKey : newConnection)(of, fields));
    return created;
  };
  const keys = {
    follows: await several('member'),
    bound: await several('member', bound),
    // A new team gives each of these a seat, which takes time.
    all: [...(await several('organization', {}, 1)), ...(await several('owner', {}, KEYS - 1))],
    service: await several('organization', bound),
  };
  const memberPath = `${path}/members/${member.account_id}`;

  /** Activates the organization, with the person as a member in both teams. */
  const restore = async (role_id = roles.both.id) => {
    await joins.setStatus(id, 'active');
    const role_ids = [role_id];
    const assigned = await askAs(owner, { method: 'PATCH', path: memberPath, body: { role_ids } });
    if (assigned.status === 404) await joins.add(id, member, role_ids);
    for (const seats of Object.values(teams)) await seats.add(owner, member);
  };
  return {
    ...{
      id,
      path,
      owner,
      member,
      joins,
      roles,
      ofTeams,
      teams,
      keys,
      newKey,
      newConnection,
      memberPath,
    },
    ...{ put, patch, remove, restore },
  };
}
export type Revocable = Awaited<ReturnType<typeof createRevocable>>;
