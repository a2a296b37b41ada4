import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { isRefusal } from '../../../src/platform/errors/refusal.ts';
import { createOrganization, MEMBER } from '../../support/people/organizations.ts';
import type { Joins } from '../../support/people/organizations.ts';
import { createPerson, goodPassword } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { anyCapabilities, CAPABILITIES } from '../../support/worlds/worlds.ts';
import { everyTeam } from '../../support/access/permissions.ts';
import { must } from './revocable-organization.ts';

const PERMISSIONS = [
  'can_view_organization_roles',
  'can_invite_organization_members',
  'can_create_organization_api_keys',
  everyTeam,
];
const TEAM_PERMISSIONS = [
  'can_view_team_usage',
  'can_update_team_roles',
  'can_update_team_policies',
];

/** Indexes are taken modulo the number of things that exist when the round begins. */
const index = fc.nat({ max: 9 });
const indexes = fc.uniqueArray(index, { maxLength: 2 });
const contentOf = (permissions: readonly string[]) =>
  fc.record({ permissions: fc.subarray([...permissions]), capabilities: anyCapabilities });

/** What a command does; it uses those of the fields that it needs. */
const anyCommand = fc.record({
  does: fc.constantFrom(
    ...(['join', 'leave', 'assign', 'create role', 'edit role', 'delete role'] as const),
    ...(['create team', 'delete team', 'edit team role', 'delete team role'] as const),
    ...(['take seat', 'assign seat', 'leave team'] as const),
    ...(['create key', 'create service', 'bind key', 'revoke key'] as const),
  ),
  ...{ organization: fc.nat({ max: 1 }), gateway: fc.nat({ max: 1 }) },
  ...{ person: index, team: index, role: index, key: index, roles: indexes },
  /** To follow teams, null. */
  teams: fc.option(indexes, { freq: 2 }),
  ...{ content: contentOf(PERMISSIONS), teamContent: contentOf(TEAM_PERMISSIONS) },
});
export type Command = typeof anyCommand extends fc.Arbitrary<infer One> ? One : never;

/** Commands that run concurrently; in some rounds one gateway is cut off from OpenFGA. */
export const anyRound = fc.record({
  commands: fc.array(anyCommand, { minLength: 2, maxLength: 6 }),
  isCutOff: fc.boolean(),
});

/** What commands of a round refer to. */
interface Existing extends Record<string, unknown> {
  roles: string[];
  teams: { id: string; name: string }[];
  team_roles: string[];
  keys: { id: string; account_id: string | null }[];
}

const EXISTING = `SELECT
  ARRAY(SELECT id::text FROM organization_role
    WHERE organization_id = $1 AND deleted_at IS NULL ORDER BY id) AS roles,
  (SELECT coalesce(json_agg(json_build_object('id', id, 'name', name) ORDER BY id), '[]')
   FROM team WHERE organization_id = $1 AND deleted_at IS NULL) AS teams,
  ARRAY(SELECT id::text FROM team_role
    WHERE organization_id = $1 AND team_id IS NULL AND deleted_at IS NULL ORDER BY id)
    AS team_roles,
  (SELECT coalesce(json_agg(json_build_object('id', id, 'account_id', account_id) ORDER BY id), '[]')
   FROM api_key WHERE runs_in = $1 AND revoked_at IS NULL) AS keys`;

const NOTHING = { id: randomUUID(), name: 'nothing', account_id: null };
const pick = <One>(all: readonly One[], at: number): One | undefined => all[at % all.length];
const pickAll = <One>(all: readonly One[], which: readonly number[]): One[] => [
  ...new Set(which.flatMap((at) => pick(all, at) ?? [])),
];
const nameOf = (what: string) => `${what}-${randomUUID().slice(0, 8)}`;

/** Returns the requests for a command in an organization, and who sends them, by what it does. */
function requestsFor(
  command: Command,
  { path, id, owner, people }: Pick<Raced, 'path' | 'id' | 'owner' | 'people'>,
  { roles, teams, team_roles, keys }: Existing,
): Record<Exclude<Command['does'], 'join'>, [SignedUp, SendRequest]> {
  const person = pick(people, command.person)!;
  const team = pick(teams, command.team) ?? NOTHING;
  const key = pick(keys, command.key) ?? NOTHING;
  const holder = people.find(({ account_id }) => account_id === key.account_id);
  const at = {
    member: `${path}/members/${person.account_id}`,
    role: `${path}/roles/${pick(roles, command.role)}`,
    teamRole: `${path}/team-roles/${pick(team_roles, command.role)}`,
    seats: `${path}/teams/${team.id}/members`,
    seat: `${path}/teams/${team.id}/members/${person.account_id}`,
    key: holder === undefined ? `${path}/keys/${key.id}` : `/api/keys/${key.id}`,
  };
  const role_ids = pickAll(roles, command.roles);
  const seat = { role_ids: pickAll(team_roles, command.roles) };
  const bound = command.teams && pickAll(teams, command.teams).map((one) => one.id);
  const content = { name: nameOf('role'), ...command.content };
  const granted = [...command.content.permissions, ...command.teamContent.permissions];
  const draft = {
    ...{ name: nameOf('key'), mcp_capabilities: command.content.capabilities, team_ids: bound },
    grants: [{ scope: { type: 'org', org_id: id }, permissions: granted }],
  };
  const send = (method: string, where: string, body?: object): [SignedUp, SendRequest] => [
    owner,
    { method, path: where, ...(body === undefined ? {} : { body }) },
  ];
  return {
    leave: send('DELETE', at.member),
    assign: send('PATCH', at.member, { role_ids: [MEMBER, ...role_ids] }),
    'create role': send('POST', `${path}/roles`, content),
    'edit role': send('PATCH', at.role, command.content),
    'delete role': send('DELETE', at.role),
    'create team': send('POST', `${path}/teams`, { name: nameOf('team') }),
    'delete team': send('DELETE', `${path}/teams/${team.id}`, { confirm: team.name }),
    'edit team role': send('PATCH', at.teamRole, command.teamContent),
    'delete team role': send('DELETE', at.teamRole),
    'take seat': send('POST', at.seats, { account_id: person.account_id, ...seat }),
    'assign seat': send('PATCH', at.seat, seat),
    'leave team': send('DELETE', at.seat),
    'create key': [person, { path: '/api/keys', body: { ...draft, org_scope: id } }],
    'create service': send('POST', `${path}/keys`, draft),
    'bind key': [holder ?? owner, { method: 'PATCH', path: at.key, body: { team_ids: bound } }],
    'revoke key': [holder ?? owner, { method: 'DELETE', path: at.key }],
  };
}

// What was removed concurrently, taken names, refused escalations and outages are valid.
const VALID_STATUSES = new Set([200, 201, 204, 403, 404, 409, 422, 503]);

interface Raced {
  id: string;
  path: string;
  owner: SignedUp;
  people: readonly SignedUp[];
}

export interface Racing extends Pick<Raced, 'owner' | 'people'> {
  world: Pick<World, 'query'>;
  gateways: readonly [Gateway, Gateway];
  joins: Joins;
}

/**
 * Creates an organization in which all people are members of two teams and have keys, as the state
 * from which concurrent commands start. Only the first may manage every team.
 */
export async function createRaced({ world, owner, people, gateways, joins }: Racing) {
  const { id } = await createOrganization(owner);
  const path = `/api/organizations/${id}`;
  const create = (who: SignedUp, where: string, body: object) =>
    must<{ id: string }>(who, { path: where, body });
  const createRole = (below: string, permissions: readonly string[]) =>
    create(owner, `${path}/${below}`, {
      ...{ name: nameOf('role'), permissions, capabilities: CAPABILITIES },
    });
  const teamRole = await createRole('team-roles', TEAM_PERMISSIONS);
  const teams = [
    await create(owner, `${path}/teams`, { name: 'red' }),
    await create(owner, `${path}/teams`, { name: 'blue' }),
  ];
  const createKeys = async (who: SignedUp, where: string, held: string[], fields = {}) => {
    const permissions = [...held, ...TEAM_PERMISSIONS];
    const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
    const body = { mcp_capabilities: CAPABILITIES, grants, ...fields };
    for (const team_ids of [null, [teams[0]!.id]])
      await create(who, where, { ...body, name: nameOf('key'), team_ids });
  };
  for (const [number, person] of people.entries()) {
    const held = PERMISSIONS.filter((name) => number === 0 || name !== everyTeam);
    await joins.add(id, person, [(await createRole('roles', held)).id]);
    const body = { account_id: person.account_id, role_ids: [teamRole.id] };
    for (const team of teams) await create(owner, `${path}/teams/${team.id}/members`, body);
    await createKeys(person, '/api/keys', held, { org_scope: id });
  }
  await createKeys(owner, `${path}/keys`, PERMISSIONS);

  const existing = async () => (await world.query<Existing>(EXISTING, [id]))[0]!;

  return {
    id,
    existing,
    /** Carries out a command; throws unless it is done or refused as it may be. */
    async run(command: Command, now: Existing): Promise<void> {
      const { does } = command;
      if (does === 'join') {
        const roles = pickAll(now.roles, command.roles);
        await joins.add(id, pick(people, command.person)!, roles).catch((error: unknown) => {
          if (!isRefusal(error)) throw error;
        });
        return;
      }
      const [who, request] = requestsFor(command, { path, id, owner, people }, now)[does];
      const client = createPerson(gateways[command.gateway]!.url, who.person.address);
      const { status, body } = await client.ask({ ...request, headers: who.bearer });
      if (!VALID_STATUSES.has(status))
        throw new Error(`${does} ${request.path}: ${status} ${JSON.stringify(body)}`);
    },
    /** Deletes the organization, and the keys of its members. */
    async end() {
      const { keys } = await existing();
      await must(owner, {
        method: 'DELETE',
        path,
        body: { confirm: 'Acme', current_password: goodPassword },
      });
      for (const person of people)
        for (const { id: key_id, account_id } of keys)
          if (account_id === person.account_id)
            await must(person, { method: 'DELETE', path: `/api/keys/${key_id}` });
    },
  };
}
