import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { askAs, createOrganization, createRole } from '../../support/people/organizations.ts';
import { createKey, signUp } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import type { Random } from '../../support/histories/random.ts';
import type { SwitchAct } from '../../support/histories/switches.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { toolNamed } from '../../support/worlds/tool-named.ts';
import { argumentsOf, smallCatalog } from '../properties/agents-reach.ts';
import { scaledTimeout } from '../properties/trials.ts';
import { askWith, attempt, createHistoryWorld } from './history-world.ts';
import type { Client } from './history-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const histories = await closeAfterTests(createHistoryWorld());
const owner = await signUp(histories.world, histories.gateways[0], 'owner');

const idOf = (name: string) => toolNamed(smallCatalog, name).id;
// Each team's policy admits one tool.
const TEAMS = { red: 'calculator', blue: 'hash' } as const;
const OTHER = 'uuid';
type Team = keyof typeof TEAMS;
const NAMES = Object.keys(TEAMS) as Team[];

/** Creates an organization in which each of two teams admits one tool, with a member of both. */
async function createTeams() {
  const { world, gateways, joins } = histories;
  const { id } = await createOrganization(owner, `Acme ${randomUUID()}`);
  const path = `/api/organizations/${id}`;
  const tools = [...Object.values(TEAMS), OTHER].map(idOf);
  await askAs(owner, {
    method: 'PUT',
    path: `${path}/mcp-settings`,
    body: {
      tools,
      organization_wide_tools: [],
      ...{ platform_prompts: [], organization_wide_prompts: [] },
    },
  });
  const role = await createRole(owner, id, { name: 'Calling', capabilities: ['tools'] });
  const mia = await signUp(world, gateways[1], 'mia');
  await joins.add(id, mia, [role.id]);
  const teams = {} as Record<Team, ReturnType<typeof seatsOf> & { id: string }>;
  for (const name of NAMES) {
    const team = await createTeam(owner, id, name);
    teams[name] = { ...seatsOf(id, team.id), id: team.id };
    const policy = { mode: 'whitelist', tools: [idOf(TEAMS[name])] };
    const policies = `${teams[name].path}/policies/tool`;
    await askAs(owner, { method: 'PUT', path: policies, body: policy });
    await teams[name].add(owner, mia);
  }
  return { id, path, role, mia, teams };
}

type Setting = Awaited<ReturnType<typeof createTeams>>;

/** The requests that give and take what a key needs, recorded with what they require and set. */
function changesOf({ path, role, mia, teams, key, service }: Setting & Keys) {
  const change = (who: SignedUp, act: SwitchAct, request: SendRequest) => (gateway: Gateway) =>
    histories.record(act, () => attempt(who, gateway, request));
  const policyOf = (team: Team, isAdmitted: boolean) => ({
    mode: 'whitelist',
    tools: [idOf(isAdmitted ? TEAMS[team] : OTHER)],
  });
  return {
    setCapable: (isCapable: boolean) =>
      change(
        owner,
        { what: `role with Tools: ${isCapable}`, sets: { role: isCapable } },
        {
          method: 'PATCH',
          path: `${path}/roles/${role.id}`,
          body: { capabilities: isCapable ? ['tools'] : [] },
        },
      ),
    setSeat: (team: Team, isAdded: boolean) =>
      change(
        owner,
        {
          what: `seat in ${team}: ${isAdded}`,
          requires: { member: true, [`seat ${team}`]: !isAdded },
          sets: { [`seat ${team}`]: isAdded },
        },
        isAdded
          ? { path: `${teams[team].path}/members`, body: { account_id: mia.account_id } }
          : { method: 'DELETE', path: teams[team].seat(mia) },
      ),
    admit: (team: Team, isAdmitted: boolean) =>
      change(
        owner,
        {
          what: `${team} admits its tool: ${isAdmitted}`,
          sets: { [`policy ${team}`]: isAdmitted },
        },
        {
          method: 'PUT',
          path: `${teams[team].path}/policies/tool`,
          body: policyOf(team, isAdmitted),
        },
      ),
    bind: (bound: readonly Team[]) =>
      change(
        owner,
        {
          what: `service bound to ${bound.join(' and ')}`,
          requires: { service: true },
          sets: Object.fromEntries(NAMES.map((team) => [`bound ${team}`, bound.includes(team)])),
        },
        {
          method: 'PATCH',
          path: `${path}/keys/${service.id}`,
          body: { team_ids: bound.map((team) => teams[team].id) },
        },
      ),
    revokeKey: change(
      mia,
      { what: 'revoke key', requires: { key: true }, sets: { key: false } },
      { method: 'DELETE', path: `/api/keys/${key.id}` },
    ),
    revokeService: change(
      owner,
      { what: 'revoke service', requires: { service: true }, sets: { service: false } },
      { method: 'DELETE', path: `${path}/keys/${service.id}` },
    ),
    endMembership: change(
      owner,
      { what: 'remove Mia', requires: { member: true }, sets: { member: false } },
      { method: 'DELETE', path: `${path}/members/${mia.account_id}` },
    ),
  };
}

interface Keys {
  /** Follows the seats of its person. */
  key: Key;
  /** Of the organization, bound to teams. */
  service: Key;
}
interface Key {
  id: string;
  secret: string;
}

const useOf =
  (name: 'key' | 'service', key: Key): Client =>
  (gateway, random) => {
    const team = random.one(NAMES);
    const tool = TEAMS[team];
    const requires = {
      key: { member: true, role: true, [`seat ${team}`]: true },
      service: { [`bound ${team}`]: true },
    }[name];
    return histories.record(
      {
        what: `${name} calls ${tool}`,
        requires: { [name]: true, [`policy ${team}`]: true, ...requires },
      },
      async () => {
        const called = { name: tool, arguments: argumentsOf(tool) };
        const result = await askWith(key, gateway, 'tools/call', called);
        return result === undefined ? null : result !== null;
      },
    );
  };

test(
  'no key is used after what it needs was taken away, whatever fails meanwhile (H1)',
  async () => {
    const setting = await createTeams();
    const { id, path, mia, teams } = setting;
    const key = await createKey(mia, { org_scope: id });
    const made = await askAs<Key>(owner, {
      path: `${path}/keys`,
      body: {
        name: 'service',
        mcp_capabilities: ['tools'],
        team_ids: NAMES.map((team) => teams[team].id),
      },
    });
    const service = made.body;
    const changes = changesOf({ ...setting, key, service });
    const turns = 20;
    const last = (end: (gateway: Gateway) => Promise<void>, client: Client): Client => {
      let left = turns;
      return (gateway, random) => {
        left -= 1;
        return left < 3 ? end(gateway) : client(gateway, random);
      };
    };
    const either = (random: Random) => random.below(2) === 0;
    const switches = NAMES.flatMap((team) => [
      [`seat ${team}`, true],
      [`policy ${team}`, true],
      [`bound ${team}`, true],
    ]);

    await histories.check({
      initial: {
        ...{ key: true, service: true, member: true, role: true },
        ...Object.fromEntries(switches),
      },
      partitions: () =>
        NAMES.flatMap((team) => [
          ['key', 'member', 'role', `seat ${team}`, `policy ${team}`],
          ['service', ...NAMES.map((one) => `bound ${one}`), `policy ${team}`],
        ]),
      turns,
      changes: [
        last(changes.revokeKey, (gateway, random) => changes.setCapable(!either(random))(gateway)),
        last(changes.endMembership, (gateway, random) =>
          changes.setSeat(random.one(NAMES), either(random))(gateway),
        ),
        last(changes.revokeService, (gateway, random) =>
          changes.bind(random.one([['red'], ['blue'], NAMES]))(gateway),
        ),
        (gateway, random) => changes.admit(random.one(NAMES), either(random))(gateway),
      ],
      uses: [
        ...Array.from({ length: 2 }, () => useOf('key', key)),
        ...Array.from({ length: 2 }, () => useOf('service', service)),
      ],
    });
  },
  scaledTimeout(60_000),
);
