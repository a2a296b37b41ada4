import { createApi, listTools, requireGateway } from './api.ts';
import type { Api } from './api.ts';
import { readLink } from './link-emails.ts';
import { signUp } from './sign-up.ts';
import type { SignedUp, SigningUp } from './sign-up.ts';
import { starterTools } from './starter-tools.ts';

export interface TeamQuickstartOptions extends SigningUp {
  /** Addresses of the founder and of the person they invite. */
  email: string;
  colleague: string;
}

export interface TeamQuickstart {
  organization_id: string;
  team_id: string;
  ada: SignedUp;
  ben: SignedUp & { account_id: string };
  keys: SeenKey[];
}

/** A key with the tools that it sees over MCP. */
export interface SeenKey {
  id: string;
  name: string;
  secret: string;
  tools: string[];
}

export const ORGANIZATION = 'Example';
export const TEAM = 'engineering';
export const ROLE = 'Agent user';
/** The built-in tool that every credential of the organization gets. */
export const SHARED_TOOL = 'current_time';

const MEMBER_ROLE = 'Member';

/** Tools that anyone can call: two public endpoints of GitHub. */
const teamTool = {
  name: 'latest_release',
  description: 'Returns the latest release of a GitHub repository.',
  url: 'https://api.github.com/repos/{{owner}}/{{repository}}/releases/latest',
  query: '{name: name, tag: tag_name}',
};
const ownTool = {
  name: 'repository_stars',
  description: 'Returns how many stars a GitHub repository has.',
  url: 'https://api.github.com/repos/{{owner}}/{{repository}}',
  query: '{repository: full_name, stars: stargazers_count}',
};

interface Created {
  id: string;
}

/** Performs the steps of a company that starts: two people, a team and three keys. */
export async function teamQuickstart(options: TeamQuickstartOptions): Promise<TeamQuickstart> {
  const { url, progress } = options;
  await requireGateway(url);
  const ada = await signUp({ email: options.email, first_name: 'Ada' }, options);
  const team = await createTeam(ada.api, progress);
  const ben = await invite(ada.api, team, options);

  progress('Creating three keys …');
  const draft = { mcp_capabilities: ['tools'] };
  const scoped = { ...draft, org_scope: team.organization_id };
  // Without a team it gets only what the whole organization gets.
  const own = { ...draft, team_ids: [] };
  const keys = [
    await createKey(ada.api, '/api/keys', { ...scoped, name: 'Ada’s key' }),
    await createKey(ben.api, '/api/keys', { ...scoped, name: 'Ben’s key' }),
    await createKey(ada.api, `${team.path}/keys`, { ...own, name: 'nightly job' }),
  ];
  progress('Listing the tools of each key …');
  const seen = keys.map(async (key) => ({ ...key, tools: await listTools(url, key.secret) }));
  const { organization_id, team_id } = team;
  const { id: account_id } = await ben.api<Created>('GET', '/api/user/profile');
  const people = { ada, ben: { ...ben, account_id } };
  return { organization_id, team_id, ...people, keys: await Promise.all(seen) };
}

type Progress = SigningUp['progress'];

interface Team {
  organization_id: string;
  /** Path of the organization. */
  path: string;
  team_id: string;
}

/** Creates the organization with a selection of tools, and its team with a tool of its own. */
async function createTeam(api: Api, progress: Progress): Promise<Team> {
  progress(`Creating the organization “${ORGANIZATION}” …`);
  const { id } = await api<Created>('POST', '/api/organizations', { name: ORGANIZATION });
  const path = `/api/organizations/${id}`;
  progress('Selecting tools for it …');
  const tools = await starterTools(api);
  await api('PUT', `${path}/mcp-settings`, {
    tools: tools.map((tool) => tool.id),
    organization_wide_tools: tools.flatMap((tool) => (tool.name === SHARED_TOOL ? [tool.id] : [])),
    platform_prompts: [],
    organization_wide_prompts: [],
  });
  progress(`Creating the team “${TEAM}” with a tool of its own …`);
  const team = await api<Created>('POST', `${path}/teams`, { name: TEAM });
  await api('POST', `${path}/teams/${team.id}/custom-tools`, draftOf(teamTool));
  return { organization_id: id, path, team_id: team.id };
}

/** Invites a colleague to the team, who signs up through the invitation and adds a tool. */
async function invite(
  api: Api,
  { path, team_id }: Team,
  options: TeamQuickstartOptions,
): Promise<SignedUp> {
  const { colleague: email, progress } = options;
  progress(`Creating the role “${ROLE}” …`);
  const { data } = await api<{ data: { id: string; name: string }[] }>('GET', `${path}/roles`);
  const member = data.find(({ name }) => name === MEMBER_ROLE)!;
  const role = { name: ROLE, capabilities: ['tools'] };
  const { id: role_id } = await api<Created>('POST', `${path}/roles`, role);
  progress(`Inviting ${email} to the team …`);
  const since = Date.now();
  const role_ids = [member.id, role_id];
  await api('POST', `${path}/invitations`, { email, role_ids, teams: [{ team_id }] });
  progress('Reading the invitation …');
  const invitation = { to: email, name: 'invitation', path: '/invite', since } as const;
  const invitation_token = await readLink(createApi(options.url), invitation, options.askForLink);
  const ben = await signUp({ email, first_name: 'Ben', invitation_token }, options);
  progress('Adding a tool that only Ben gets …');
  await ben.api('POST', `${path}/me/custom-tools`, draftOf(ownTool));
  return ben;
}

const draftOf = ({ name, description, url, query }: typeof teamTool) => ({
  ...{ name, description, kind: 'http' },
  input_schema: {
    type: 'object',
    properties: { owner: { type: 'string' }, repository: { type: 'string' } },
    required: ['owner', 'repository'],
  },
  http: { method: 'GET', url, response: { query } },
});

interface KeyDraft {
  name: string;
  mcp_capabilities: string[];
  org_scope?: string;
  team_ids?: string[];
}

async function createKey(api: Api, path: string, draft: KeyDraft) {
  const { id, secret } = await api<Created & { secret: string }>('POST', path, draft);
  return { id, name: draft.name, secret };
}
