import { randomUUID } from 'node:crypto';
import { reached } from '../../oracle/reach.ts';
import type {
  OracleItem,
  OracleKey,
  OracleOrganization,
  OraclePolicy,
  OracleWorld,
} from '../../oracle/world.ts';
import { everyTeam } from '../../support/access/permissions.ts';
import { askAs, createOrganization, createRole } from '../../support/people/organizations.ts';
import type { ConnectionsSupport } from '../../support/people/connections.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { goodPassword } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { CAPABILITIES, ITEM_FAMILIES } from '../../support/worlds/worlds.ts';
import type { ItemFamily, ItemPlan } from '../../support/worlds/worlds.ts';
import { createConnection } from './connected.ts';
import { conditionIn, policyOf } from './drafts.ts';
import type { DraftItems } from './drafts.ts';
import { contentOf, itemPath } from './item-content.ts';
import { teamNames } from './organization-plans.ts';
import type { OrganizationPlan } from './organization-plans.ts';

/** A space whose items contain a marker. */
interface MarkedSpace {
  path: string;
  /** The part of a resource's name in front of its path. */
  root: string;
  marker: string;
  items: DraftItems;
}

/** A person in the oracle; commands change them. */
interface DraftMember {
  organization: OracleOrganization;
  me: DraftItems;
  capabilities: readonly string[];
  seats: Map<DraftTeam, readonly string[] | null>;
}

type DraftTeam = DraftItems & {
  id: string;
  name: string;
  policies: Partial<Record<ItemFamily, OraclePolicy>>;
  space: MarkedSpace;
};

export interface OrganizationKey {
  id: string;
  /** Of a key; the access token of a connection. */
  secret: string;
  isConnection: boolean;
  /** Index in `members`; null for a key of the organization. */
  memberIndex: number | null;
  oracle: OracleKey & { member: DraftMember };
  /** Markers of the spaces that the key may act in. */
  own: string[];
}

interface People {
  owner: SignedUp;
  members: readonly SignedUp[];
}

/**
 * Creates an organization, its people's roles, teams, content and keys in the service, over REST,
 * and in the oracle. Keys are created while every member's role has all capabilities.
 */
export async function buildOrganization(
  { owner, members: people }: People,
  plan: OrganizationPlan,
  {
    joins,
    upstream,
    oracleWorld,
    oauth,
  }: {
    joins: Pick<Joins, 'add'>;
    upstream: string;
    oracleWorld: OracleWorld;
    /** Without it, every credential is a key. */
    oauth?: ConnectionsSupport;
  },
) {
  const { id } = await createOrganization(owner, 'Acme');
  const base = `/api/organizations/${id}`;
  const markers: string[] = [];

  async function requireStatus<Body>(
    who: SignedUp,
    expected: number,
    request: SendRequest,
  ): Promise<Body> {
    const { status, body } = await askAs<Body>(who, request);
    if (status !== expected) throw new Error(`${request.path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  function spaceAt(path: string, root: string): MarkedSpace {
    const marker = `marker-${randomUUID()}`;
    markers.push(marker);
    return { path, root, marker, items: { tools: [], prompts: [], resources: [], agents: [] } };
  }

  async function add(who: SignedUp, space: MarkedSpace, one: ItemPlan, fields: object = {}) {
    const { family, name } = one;
    const componentsIn = (root: string) =>
      one.conditions.map((condition, index) => ({
        name: `part_${index}`,
        when: conditionIn(space.items, condition, root),
      }));
    const components = componentsIn('');
    const content = contentOf(family, { name, marker: space.marker, components, upstream });
    const item = await requireStatus<OracleItem>(who, 201, {
      path: itemPath(family, space.path),
      body: { ...content, ...fields },
    });
    space.items[family].push({ id: item.id, name, components: componentsIn(space.root) });
    return item.id;
  }

  const catalog = spaceAt(base, 'org/');
  const designated = new Set<string>();
  for (const [index, item] of plan.catalog.entries()) {
    const organization_wide = plan.designated.catalog[index]!;
    const item_id = await add(owner, catalog, item, { organization_wide });
    if (organization_wide) designated.add(item_id);
  }
  const { tools, prompts } = plan.selected;
  const wide = (ids: readonly string[]) =>
    ids.filter((one) => plan.designated.builtIn.includes(one));
  for (const one of [...wide(tools), ...wide(prompts)]) designated.add(one);
  await requireStatus(owner, 200, {
    method: 'PUT',
    path: `${base}/mcp-settings`,
    body: {
      tools,
      platform_prompts: prompts,
      organization_wide_tools: wide(tools),
      organization_wide_prompts: wide(prompts),
    },
  });
  const organization = {
    ...catalog.items,
    selected: new Set([...tools, ...prompts]),
    organizationWide: designated,
  };

  const teams: DraftTeam[] = [];
  for (const [index, { policies: planned, items }] of plan.teams.entries()) {
    const name = teamNames[index]!;
    const team = await createTeam(owner, id, name);
    const space = spaceAt(`${base}/teams/${team.id}`, `team/${name}/`);
    for (const item of items) await add(owner, space, item);
    const policies: Partial<Record<ItemFamily, OraclePolicy>> = {};
    for (const family of ITEM_FAMILIES) {
      if (planned[family] === undefined) continue;
      const policy = policyOf(catalog.items, family, planned[family]);
      const path = `${space.path}/policies/${family.slice(0, -1)}`;
      await requireStatus(owner, 200, { method: 'PUT', path, body: policy });
      policies[family] = policy;
    }
    teams.push({ ...space.items, id: team.id, name, policies, space });
  }

  const members: {
    person: SignedUp;
    oracle: DraftMember;
    role_id: string;
    spaces: string[];
    hasLeft: boolean;
  }[] = [];
  for (const [index, person] of people.entries()) {
    const { me, seats: planned, managesEvery } = plan.members[index]!;
    const permissions = managesEvery ? [everyTeam] : [];
    const draft = { name: `role ${index}`, capabilities: [...CAPABILITIES], permissions };
    const role = await createRole(owner, id, draft);
    await joins.add(id, person, [role.id]);
    const seats: DraftMember['seats'] = new Map(
      managesEvery ? teams.map((team) => [team, null] as const) : [],
    );
    const space = spaceAt(`${base}/me`, 'me/');
    const spaces = [space.marker];
    for (const [teamIndex, capabilities] of planned.entries()) {
      if (capabilities === null) continue;
      const team = teams[teamIndex]!;
      const { path, add: addSeat } = seatsOf(id, team.id);
      const draftRole = { name: `role ${index} of ${team.name}`, capabilities: [...capabilities] };
      const { id: role_id } = await createTeamRole(owner, `${path}/roles`, draftRole);
      const { status } = await addSeat(owner, person, [role_id]);
      if (status !== 201) throw new Error(`seat: ${status}`);
      seats.set(team, capabilities);
    }
    for (const team of seats.keys()) spaces.push(team.space.marker);
    for (const item of me) await add(person, space, item);
    const oracle = { organization, me: space.items, capabilities: CAPABILITIES, seats };
    members.push({ person, oracle, role_id: role.id, spaces, hasLeft: false });
  }

  /** What the organization's own keys reach: the Owner, who creates them, caps it. */
  const ownerReach: DraftMember = {
    ...{ organization, capabilities: CAPABILITIES },
    me: { tools: [], prompts: [], resources: [], agents: [] },
    seats: new Map(teams.map((team) => [team, []])),
  };
  const allMarkers = [catalog.marker, ...teams.map(({ space }) => space.marker)];

  const keys: OrganizationKey[] = [];
  for (const {
    member: memberIndex,
    capabilities,
    teams: bound,
    defaultAgent: agentIndex,
    isConnection: isPlanned,
  } of plan.keys) {
    const member = memberIndex === null ? ownerReach : members[memberIndex]!.oracle;
    const own = bound?.map((index) => teams[index]!).filter((team) => member.seats.has(team));
    const oracle = {
      ...{ account: (memberIndex ?? -1) + 1, member, teams: own ?? null, capabilities },
      ...{ revoked: false, policies: {}, permissions: null },
    };
    const agents = reached(oracleWorld, { ...oracle, defaultAgent: null }, 'agents');
    const defaultAgent =
      agentIndex === null ? null : (agents[agentIndex % agents.length]?.id ?? null);
    const person = memberIndex === null ? null : people[memberIndex]!;
    const team_ids = own?.map((team) => team.id);
    const shared = { capabilities, team_ids: team_ids ?? null, default_agent_id: defaultAgent };
    const isConnection = isPlanned && oauth !== undefined;
    const key = isConnection
      ? await createConnection(oauth, { ...shared, organization_id: id, person })
      : await requireStatus<{ id: string; secret: string }>(person ?? owner, 201, {
          path: person === null ? `${base}/keys` : '/api/keys',
          body: {
            name: `key ${randomUUID()}`,
            ...(person === null ? {} : { org_scope: id }),
            mcp_capabilities: capabilities,
            ...(team_ids === undefined ? {} : { team_ids }),
            default_agent_id: defaultAgent,
          },
        });
    const spaces =
      memberIndex === null ? allMarkers : [catalog.marker, ...members[memberIndex]!.spaces];
    keys.push({
      ...{ id: key.id, secret: key.secret, isConnection },
      memberIndex,
      oracle: { ...oracle, defaultAgent },
      own: spaces,
    });
  }

  async function setCapabilities(index: number, capabilities: readonly string[]) {
    const { role_id, oracle } = members[index]!;
    const path = `${base}/roles/${role_id}`;
    await requireStatus(owner, 200, { method: 'PATCH', path, body: { capabilities } });
    oracle.capabilities = capabilities;
  }
  for (const [index, { capabilities }] of plan.members.entries())
    await setCapabilities(index, capabilities);

  return {
    ...{ id, base, owner, plan, markers, catalog, organization, teams, members, keys },
    ...{ requireStatus, setCapabilities },
    /** Deletes the organization with everything in it, and the keys. */
    async end() {
      await requireStatus(owner, 204, {
        method: 'DELETE',
        path: base,
        body: { confirm: 'Acme', current_password: goodPassword },
      });
      for (const { memberIndex, id: key, isConnection } of keys)
        if (memberIndex !== null && !isConnection)
          await requireStatus(people[memberIndex]!, 204, {
            method: 'DELETE',
            path: `/api/keys/${key}`,
          });
    },
  };
}
export type BuiltOrganization = Awaited<ReturnType<typeof buildOrganization>>;
