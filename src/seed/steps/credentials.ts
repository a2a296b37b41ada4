import { ofOrganization, ofTeam } from '../names.ts';
import type { Names } from '../names.ts';
import type { Client, Key } from '../schema.ts';
import type { Path } from '../source.ts';
import { idsOf, policyBody } from './content.ts';
import type { Space } from './content.ts';
import type { Body, Step } from './step.ts';

const RENAMED = {
  org_scope: 'runs_in',
  team_ids: 'teams',
  default_agent_id: 'default_agent',
};

/** Returns the steps that create the keys and OAuth clients of a person. */
export const personalCredentialSteps = (
  { keys, oauth_clients }: { keys: readonly Key[]; oauth_clients: readonly Client[] },
  at: Path,
  space: Space,
): Step[] => [
  ...keys.map((key, index) => {
    const place = [...at, 'keys', index];
    const body = (names: Names) => keyBody(key, place, space.within, names);
    return keyStep(key.name, place, body, { ...space, path: '/api' });
  }),
  ...clientSteps(oauth_clients, [...at, 'oauth_clients'], space, null),
];

/** Returns the steps that create the keys and OAuth clients of an organization. */
export const organizationCredentialSteps = (
  organization: { name: string; keys: readonly Key[]; oauth_clients: readonly Client[] },
  at: Path,
  space: Space,
): Step[] => [
  ...organization.keys.map((key, index) => {
    const place = [...at, 'keys', index];
    const body = (names: Names) => inOrganization(key, place, organization.name, names);
    return keyStep(key.name, place, body, space);
  }),
  ...clientSteps(organization.oauth_clients, [...at, 'oauth_clients'], space, organization.name),
];

const keyStep = (name: string, at: Path, body: Step['body'], space: Space): Step => ({
  ...{ at, by: space.by, params: space.params, body, renamed: RENAMED },
  name: { kind: 'key', within: space.within, name },
  route: `POST ${space.path}/keys`,
});

function keyBody(key: Key, at: Path, owner: string, names: Names): Body {
  const { runs_in, grants, tool_policy, prompt_policy, agent_policy, ...rest } = key;
  const policies = Object.entries({ tool_policy, prompt_policy, agent_policy }).flatMap(
    ([field, policy]) =>
      policy === undefined ? [] : [[field, policyBody(policy, [...at, field], owner, names)]],
  );
  return {
    ...(runs_in === undefined
      ? personal(rest, at, owner, names)
      : {
          ...inOrganization(rest, at, runs_in, names),
          org_scope: organizationId(runs_in, [...at, 'runs_in'], names),
        }),
    ...Object.fromEntries(policies),
    ...(grants && {
      grants: grants.map(({ scope, ...grant }, index) => ({
        ...grant,
        scope:
          scope === 'personal'
            ? { type: 'personal' }
            : {
                type: 'org',
                org_id: organizationId(scope, [...at, 'grants', index, 'scope'], names),
              },
      })),
    }),
  };
}

const organizationId = (name: string, at: Path, names: Names): string =>
  names.id({ kind: 'organization', within: '', name }, at);

type Placed = Pick<Key, 'name' | 'teams' | 'default_agent'>;

function personal(
  { default_agent: name, ...rest }: Placed,
  at: Path,
  within: string,
  names: Names,
): Body {
  if (name === undefined) return rest;
  const default_agent_id = names.id({ kind: 'agent', within, name }, [...at, 'default_agent']);
  return { ...rest, default_agent_id };
}

/** Returns the fields of a key that runs in an organization: `team/name` is an agent of a team. */
function inOrganization(
  { teams, default_agent, ...rest }: Placed,
  at: Path,
  organization: string,
  names: Names,
): Body {
  const [team, own] = default_agent?.split('/') ?? [];
  const within = own === undefined ? ofOrganization(organization) : ofTeam(organization, team!);
  const agent = { kind: 'agent', within, name: own ?? team ?? '' } as const;
  return {
    ...rest,
    ...teamIds(teams, at, organization, names),
    ...(default_agent !== undefined && {
      default_agent_id: names.id(agent, [...at, 'default_agent']),
    }),
  };
}

const teamIds = (
  teams: readonly string[] | undefined,
  at: Path,
  organization: string,
  names: Names,
) =>
  teams && {
    team_ids: idsOf(
      teams,
      [...at, 'teams'],
      { kind: 'team', within: ofOrganization(organization) },
      names,
    ),
  };

const clientSteps = (
  clients: readonly Client[],
  at: Path,
  space: Space,
  organization: string | null,
): Step[] =>
  clients.map((client, index) => {
    const { teams, ...rest } = client;
    const place = [...at, index];
    return {
      ...{ at: place, by: space.by, params: space.params, renamed: RENAMED },
      name: { kind: 'oauth_client', within: space.within, name: client.name },
      route: `POST ${space.path}/oauth-clients`,
      // A personal client has no teams; the route refuses a file that names some.
      body: (names) =>
        organization === null ? client : { ...rest, ...teamIds(teams, place, organization, names) },
    };
  });
