import { expect } from 'vitest';
import {
  askAs,
  createJoins,
  createOrganization,
  createRole,
  MEMBER,
} from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { eventReader, request, send } from '../mcp/legacy/client.ts';
import { createNotifier } from '../mcp/resource-watching.ts';
import { manyGateways, promptIds, smallCatalog } from '../properties/agents-reach.ts';
import { create, FAMILIES } from './content-items.ts';

export const LISTS = ['tools', 'prompts', 'resources'] as const;
export type List = (typeof LISTS)[number];
export const toolId = (name: string) => toolNamed(smallCatalog, name).id;
export const [promptId] = promptIds as [string];

export async function must<Body>(who: SignedUp, what: SendRequest): Promise<Body> {
  const { status, body } = await askAs<Body>(who, what);
  if (status >= 300) throw new Error(`${what.path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

const META = 'io.modelcontextprotocol/';
const method = 'subscriptions/listen';
const envelope = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };
const UPDATED = 'notifications/resources/updated';

/** Returns texts of one size, which lists show. */
const textOf = (edit: number) => String(edit).padStart(4, '0');

/** Opens a stream for every list and one resource. */
async function openStream({ url }: Gateway, secret: string, uri: string) {
  const notifications = {
    ...{ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
    resourceSubscriptions: [uri],
  };
  const answer = await send(`${url}/mcp`, secret, {
    ...{ version: '2026-07-28', headers: { 'mcp-method': method } },
    body: request(method, { notifications, _meta: envelope }),
  });
  const events = eventReader(answer);
  expect(JSON.parse((await events.next())!.data)).toMatchObject({
    params: { notifications: { resourceSubscriptions: [uri] } },
  });
  const { next, close } = createNotifier(events);
  const nextOne = async (): Promise<List | 'updated' | 'end'> => {
    const notification = await next();
    if (notification === null) return 'end';
    if (notification[0] === UPDATED) return 'updated';
    return /notifications\/(\w+)\/list_changed/.exec(notification[0]!)![1] as List;
  };
  return {
    close,
    /** Reads until each of these lists was announced; another one is an error. */
    async expectLists(lists: readonly List[]) {
      const missing = new Set<string>(lists);
      while (missing.size > 0) {
        const one = await nextOne();
        expect(lists).toContain(one);
        missing.delete(one);
      }
    },
    /** Reads until the resource was announced; only these lists may be announced before. */
    async expectResource(lists: readonly List[]) {
      for (let one = await nextOne(); one !== 'updated'; one = await nextOne())
        expect(lists, 'announced without a change').toContain(one);
    },
    async expectEnd() {
      for (let one = await nextOne(); one !== 'end'; one = await nextOne());
    },
  };
}
type Stream = Awaited<ReturnType<typeof openStream>>;

/** Creates a team whose policies admit little, with an item of each family. */
async function createFullTeam(owner: SignedUp, organization_id: string, name: string) {
  const team = await createTeam(owner, organization_id, name);
  const seats = seatsOf(organization_id, team.id);
  const policies = {
    tool: { mode: 'whitelist', tools: [toolId('calculator')] },
    prompt: { mode: 'blacklist', prompts: [], platform_prompts: [promptId] },
    resource: { mode: 'whitelist', patterns: ['admitted/**'] },
  };
  for (const [family, body] of Object.entries(policies))
    await must(owner, { method: 'PUT', path: `${seats.path}/policies/${family}`, body });
  for (const family of FAMILIES) expect((await create(owner, seats.path, family)).status).toBe(201);
  return { id: team.id, policies, ...seats };
}

/**
 * Creates an organization whose teams are `red` (mia; tom, whose capabilities are those of a team
 * role) and `blue` (ben), a key of each person, a key of the organization that is bound to `red`, and two
 * other keys of mia: one in another organization, and a personal one. Each key has a stream.
 */
export async function createAnnouncedWorld() {
  const world = await createWorld(manyGateways);
  const overrides = { catalog: smallCatalog };
  const [here, there] = [await world.gateway({ overrides }), await world.gateway({ overrides })];
  const joins = await createJoins(here);
  const owner = await signUp(world, here, 'owner');
  await world.query("UPDATE account SET plan = 'enterprise' WHERE id = $1", [owner.account_id]);
  const [mia, ben, tom] = [
    await signUp(world, here, 'mia'),
    await signUp(world, here, 'ben'),
    await signUp(world, here, 'tom'),
  ];
  const { id } = await createOrganization(owner);
  const path = `/api/organizations/${id}`;
  const settings = {
    ...{ tools: ['calculator', 'hash'].map(toolId), organization_wide_tools: [] as string[] },
    ...{ platform_prompts: [promptId], organization_wide_prompts: [] as string[] },
  };
  await must(owner, { method: 'PUT', path: `${path}/mcp-settings`, body: settings });
  const capabilities = [...LISTS];
  const without = (one: List) => capabilities.filter((capability) => capability !== one);
  const roleOf = (name: string, of: readonly string[] = capabilities, organization = id) =>
    createRole(owner, organization, { name, capabilities: [...of] });
  const roles = {
    calling: await roleOf('Calling'),
    fewer: await roleOf('Fewer', without('prompts')),
    other: await roleOf('Other'),
  };
  const teamRoleOf = (name: string, of: readonly string[]) =>
    createTeamRole(owner, `${path}/team-roles`, { name, capabilities: [...of] });
  const teamRoles = {
    full: await teamRoleOf('Full', capabilities),
    fewer: await teamRoleOf('Few', without('prompts')),
  };
  const red = await createFullTeam(owner, id, 'red');
  const blue = await createFullTeam(owner, id, 'blue');
  await joins.add(id, mia, [roles.calling.id]);
  await joins.add(id, ben, [roles.other.id]);
  await joins.add(id, tom, [MEMBER]);
  await red.add(owner, mia);
  await blue.add(owner, ben);
  await red.add(owner, tom, [teamRoles.full.id]);

  const globex = await createOrganization(owner, 'Globex');
  await joins.add(globex.id, mia, [(await roleOf('Calling', capabilities, globex.id)).id]);
  const keyOf = (who: SignedUp, fields: object = { org_scope: id }) =>
    createKey(who, { mcp_capabilities: capabilities, ...fields });
  const keys = {
    mia: await keyOf(mia),
    ben: await keyOf(ben),
    tom: await keyOf(tom),
    service: await must<{ id: string; secret: string }>(owner, {
      path: `${path}/keys`,
      body: { name: 'service', mcp_capabilities: capabilities, team_ids: [red.id] },
    }),
    elsewhere: await keyOf(mia, { org_scope: globex.id }),
    personal: await keyOf(mia, {}),
  };

  // A resource that every key sees in its own place; its edits follow the changes on every stream.
  const watchedIn = async (who: SignedUp, place: string, wide: object = {}) => {
    const body = { path: 'watched.md', text: textOf(0), ...wide };
    const made = await must<{ id: string }>(who, { path: `${place}/resources`, body });
    return { who, path: `${place}/resources/${made.id}` };
  };
  const wide = { organization_wide: true };
  const watched = [
    await watchedIn(owner, path, wide),
    await watchedIn(owner, `/api/organizations/${globex.id}`, wide),
    await watchedIn(mia, '/api/me'),
  ];
  let edits = 0;
  const streams = {} as Record<keyof typeof keys, Stream>;
  const open = async (name: keyof typeof keys) => {
    const uri = `toolgate://${name === 'personal' ? 'me' : 'org'}/watched.md`;
    streams[name] = await openStream(there, keys[name].secret, uri);
  };
  for (const name of Object.keys(keys) as (keyof typeof keys)[]) await open(name);

  return {
    ...{ id, path, owner, mia, ben, tom, roles, teamRoles, red, blue, keys, settings, joins },
    ...{ without, streams, open, world },
    async editWatched() {
      edits += 1;
      for (const { who, path: edited } of watched)
        await must(who, { method: 'PATCH', path: edited, body: { text: textOf(edits) } });
    },
    async close() {
      await Promise.all(Object.values(streams).map((stream) => stream.close().catch(() => {})));
      await joins.close();
      await world.close();
    },
  };
}
export type AnnouncedWorld = Awaited<ReturnType<typeof createAnnouncedWorld>>;
export type StreamName = keyof AnnouncedWorld['streams'];
