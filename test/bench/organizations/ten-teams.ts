import type { ClientFields } from '../../support/people/connections.ts';
import { askAs, createRole } from '../../support/people/organizations.ts';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import { withConnections } from '../connections.ts';
import { addMember, createOrganizationWith, noopId, request } from './people.ts';
import type { Measured } from './people.ts';

const TEAMS = 10;
// With `noop`, the list has 200 tools.
const TOOLS = 199;
const KEYS = 100;

const numbers = Array.from({ length: TOOLS }, (_, index) => index + 1);
const teamOf = (number: number) => number % TEAMS;
const nameOf = (number: number) => `noop_${String(number).padStart(4, '0')}`;

/** Keys whose list has the same 200 tools, in a personal space and over ten teams. */
export interface ListKeys {
  personal: string;
  organization: string;
}

/** Keys that call one tool, a hundred of each kind; those in an organization are in ten teams. */
export interface CallKeys {
  personal: string[];
  /** Keys that follow their person's teams. */
  following: string[];
  /** Keys that are bound to one team. */
  bound: string[];
  /** Keys of the organization itself. */
  owned: string[];
  /** Access tokens of personal connections, and of connections that follow teams. */
  token: string[];
  followingToken: string[];
}

interface TenTeams {
  id: string;
  path: string;
  owner: SignedUp;
  member: SignedUp;
  teams: { id: string; path: string }[];
}

/** Creates 199 custom tools in a personal space, and the same number across ten teams. */
export async function createOwnTools(on: Measured): Promise<{ lists: ListKeys; calls: CallKeys }> {
  const tenTeams = await createTenTeams(on, [noopId(0)], [noopId(0)]);
  const { id, path, owner, member, teams } = tenTeams;
  await selectTools(member, ['noop']);
  for (const number of numbers) {
    await createTool(member, '/api/me', number);
    await createTool(owner, teams[teamOf(number)]!.path, number);
  }
  const tokens = await createTokens(on, { id, member });
  const calls: CallKeys = {
    ...tokens,
    personal: await createKeys(() => createKey(member)),
    following: await createKeys(() => createKey(member, { org_scope: id })),
    bound: await createKeys(() => createKey(member, { org_scope: id, team_ids: [teams[0]!.id] })),
    owned: await createKeys((name) =>
      request(owner, { path: `${path}/keys`, body: { name, mcp_capabilities: ['tools'] } }),
    ),
  };
  const lists = { personal: calls.personal[0]!, organization: calls.following[0]! };
  return { lists, calls };
}

/** Selects 200 built-in tools: in a personal space, and admitted by the policies of ten teams. */
export async function createAdmittedTools(on: Measured): Promise<ListKeys> {
  const selected = [0, ...numbers];
  const { id, owner, member, teams } = await createTenTeams(on, selected.map(noopId), []);
  for (const [index, team] of teams.entries()) {
    const tools = selected.filter((number) => teamOf(number) === index).map(noopId);
    const body = { mode: 'whitelist', tools };
    await request(owner, { method: 'PUT', path: `${team.path}/policies/tool`, body });
  }
  await selectTools(member, ['noop', ...numbers.map(nameOf)]);
  return {
    personal: (await createKey(member)).secret,
    organization: (await createKey(member, { org_scope: id })).secret,
  };
}

/** Creates an organization with ten teams and a member who is in all of them. */
async function createTenTeams(
  on: Measured,
  tools: readonly string[],
  wide: readonly string[],
): Promise<TenTeams> {
  const owner = await signUp(on, on, 'owner');
  const { id, path } = await createOrganizationWith(owner, tools, wide);
  const { id: role_id } = await createRole(owner, id, { name: 'Worker', capabilities: ['tools'] });
  const member = await addMember(on, owner, { id, role_id });
  const teams: TenTeams['teams'] = [];
  for (let index = 0; index < TEAMS; index += 1) {
    const team = await createTeam(owner, id, `team${index}`);
    const seats = seatsOf(id, team.id);
    await seats.add(owner, member);
    teams.push({ id: team.id, path: seats.path });
  }
  return { id, path, owner, member, teams };
}

async function createTool(who: SignedUp, path: string, number: number): Promise<void> {
  const http = { method: 'GET', url: 'https://example.com/' };
  const name = nameOf(number).replace('noop', 'own');
  const tool = { name, kind: 'http', description: 'Does nothing.', http };
  const { status, body } = await askAs(who, { path: `${path}/custom-tools`, body: tool });
  if (status !== 201) throw new Error(`tool: ${status} ${JSON.stringify(body)}`);
}

/** Creates access tokens, each of another connection. */
const createTokens = (
  on: Measured,
  { id: organization_id, member }: Pick<TenTeams, 'id' | 'member'>,
): Promise<Pick<CallKeys, 'token' | 'followingToken'>> =>
  withConnections(on, async (oauth) => {
    const tokensOf = async (owner: ClientFields['owner']) => {
      const client = await oauth.client({ owner, scopes: ['mcp_tools'] });
      return createKeys(async () => ({
        secret: await oauth.token(await oauth.authorize(client, member)),
      }));
    };
    return {
      token: await tokensOf({ account_id: member.account_id }),
      followingToken: await tokensOf({ organization_id }),
    };
  });

async function createKeys(
  create: (name: string) => Promise<{ secret: string }>,
): Promise<string[]> {
  const secrets: string[] = [];
  for (let index = 0; index < KEYS; index += 1) secrets.push((await create(`key ${index}`)).secret);
  return secrets;
}
