import { createConnectionsSupport } from '../people/connections.ts';
import { ADMIN, askAs, createJoins, createOrganization, MEMBER } from '../people/organizations.ts';
import { signUp } from '../people/people.ts';
import type { SignedUp } from '../people/people.ts';
import { createTeam, seatsOf } from '../people/teams.ts';
import { acmeContent, acmeKeys, acmeOrganizationKeys, acmeTools } from './acme-content.ts';
import { insertUsage } from './acme-usage.ts';
import type { Gateway, World } from './world.ts';

/** People of the company, by their first name; the first one owns it. */
const PEOPLE = {
  ada: 'Meyer',
  ben: 'Okafor',
  cleo: 'Marchetti',
  dora: 'Lindqvist',
  emil: 'Tan',
  farah: 'Nasser',
  goran: 'Petrov',
  hana: 'Sato',
} as const;
type Name = keyof typeof PEOPLE;

const SEATS: Readonly<Record<string, readonly Name[]>> = {
  release: ['ben', 'cleo', 'emil'],
  platform: ['ben', 'farah', 'goran'],
  data: ['cleo', 'hana'],
  support: ['emil', 'goran', 'hana'],
};

/** A company that has used the service for a month, as pictures and views of full pages need it. */
export interface Acme {
  id: string;
  people: Record<Name, SignedUp>;
  teams: Record<string, string>;
  keys: Record<string, string>;
}

/** Sends a request that must succeed. */
async function send<Body = { id: string }>(
  who: SignedUp,
  path: string,
  body?: object,
  method?: string,
): Promise<Body> {
  const answer = await askAs<Body>(who, {
    path,
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  });
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Signs up the people, and fills their organization and the owner's personal space. */
export async function createAcme(world: World, gateway: Gateway): Promise<Acme> {
  const people = {} as Record<Name, SignedUp>;
  for (const [name, last_name] of Object.entries(PEOPLE)) {
    const person = await signUp(world, gateway, name, `${name}@acme.example`);
    const first_name = `${name[0]!.toUpperCase()}${name.slice(1)}`;
    await send(person, '/api/user/profile', { first_name, last_name }, 'PATCH');
    people[name as Name] = person;
  }
  const { id } = await createOrganization(people.ada);
  await world.query(`UPDATE organization SET plan = 'enterprise' WHERE id = $1`, [id]);
  const auditor = await send(people.ada, `/api/organizations/${id}/roles`, {
    name: 'Security auditor',
    permissions: ['can_view_organization_audit', 'can_view_organization_members'],
  });
  await join(gateway, { id, people, auditor: auditor.id });
  const teams = await createTeams(people, id);
  const catalog = await send<{ data: { id: string; name: string }[] }>(
    people.ada,
    '/api/catalog/tools',
  );
  const idsOf = (names: readonly string[]) =>
    catalog.data.filter(({ name }) => names.includes(name)).map((tool) => tool.id);
  await selectTools(people.ada, id, idsOf);
  for (const [family, drafts] of Object.entries(acmeContent))
    for (const draft of drafts)
      for (const space of ['me', `organizations/${id}`])
        await send(people.ada, `/api/${space}/${family}`, draft);
  await limitTeams(people.ada, { id, teams, idsOf });
  const keys = await createKeys(people.ada, { id, teams });
  await connectClients(world, gateway, { id, ada: people.ada });
  for (const email of ['ines@acme.example', 'jonas@acme.example'])
    await send(people.ada, `/api/organizations/${id}/invitations`, { email, role_ids: [MEMBER] });
  await insertUsage(world, { organization_id: id, account_id: people.ada.account_id, keys });
  await world.query(
    `UPDATE api_key SET created_at = created_at - interval '40 days',
       last_used_at = CASE WHEN name LIKE '%20%' THEN NULL
         ELSE now() - length(name) * interval '17 minutes' END`,
  );
  return { id, people, teams, keys };
}

async function join(
  gateway: Gateway,
  { id, people, auditor }: { id: string; people: Record<Name, SignedUp>; auditor: string },
) {
  const joins = await createJoins(gateway);
  const { ada: _, ...others } = people;
  const roles: Partial<Record<string, string[]>> = { ben: [ADMIN], dora: [MEMBER, auditor] };
  for (const [name, person] of Object.entries(others)) await joins.add(id, person, roles[name]);
  await joins.close();
}

async function createTeams(people: Record<Name, SignedUp>, id: string) {
  const teams: Record<string, string> = {};
  for (const [name, members] of Object.entries(SEATS)) {
    const team = await createTeam(people.ada, id, name);
    teams[name] = team.id;
    for (const member of members) await seatsOf(id, team.id).add(people.ada, people[member]);
  }
  return teams;
}

async function selectTools(
  ada: SignedUp,
  id: string,
  idsOf: (names: readonly string[]) => string[],
) {
  await send(
    ada,
    '/api/me/mcp-settings',
    { tools: idsOf(acmeTools.personal), platform_prompts: [] },
    'PUT',
  );
  await send(
    ada,
    `/api/organizations/${id}/mcp-settings`,
    {
      tools: idsOf(acmeTools.selected),
      organization_wide_tools: idsOf(acmeTools.everyone),
      organization_wide_prompts: [],
      platform_prompts: [],
    },
    'PUT',
  );
}

async function limitTeams(
  ada: SignedUp,
  { id, teams, idsOf }: Pick<Acme, 'id' | 'teams'> & { idsOf(names: readonly string[]): string[] },
) {
  const policyOf = (team: string) => `/api/organizations/${id}/teams/${teams[team]}/policies/tool`;
  const few = { mode: 'whitelist', tools: idsOf(['web_fetch', 'json_query', 'hash']) };
  await send(ada, policyOf('release'), few, 'PUT');
  await send(ada, policyOf('platform'), { mode: 'blacklist', tools: idsOf(['web_fetch']) }, 'PUT');
}

async function createKeys(ada: SignedUp, { id, teams }: Pick<Acme, 'id' | 'teams'>) {
  const keys: Record<string, string> = {};
  for (const draft of acmeKeys) keys[draft.name] = (await send(ada, '/api/keys', draft)).id;
  for (const { team, ...draft } of acmeOrganizationKeys) {
    const team_ids = team === null ? null : [teams[team]];
    await send(ada, `/api/organizations/${id}/keys`, { ...draft, team_ids });
  }
  return keys;
}

async function connectClients(
  world: World,
  gateway: Gateway,
  { id, ada }: { id: string; ada: SignedUp },
) {
  const client = {
    ...{ type: 'public', grant_types: ['authorization_code', 'refresh_token'] },
    allowed_scopes: ['mcp_tools', 'mcp_prompts', 'mcp_resources'],
  };
  const redirect_uris = ['https://claude.ai/api/mcp/auth_callback'];
  await send(ada, '/api/me/oauth-clients', { ...client, name: 'Claude', redirect_uris });
  await send(ada, '/api/me/oauth-clients', {
    ...{ ...client, name: 'VS Code', redirect_uris: ['http://127.0.0.1:33418/'] },
  });
  const support = await createConnectionsSupport(world, gateway);
  for (const owner of [{ account_id: ada.account_id }, { organization_id: id }]) {
    const stored = await support.client({ owner, scopes: ['mcp_tools', 'mcp_prompts'] });
    await world.query(`UPDATE oauth_client SET name = 'Release bot' WHERE id = $1`, [stored.id]);
    await support.authorize(stored, ada);
  }
  await support.close();
}
