import { normalizeAddress } from '../../platform/text/address.ts';
import { ofOrganization, ofPerson, ofTeam } from '../names.ts';
import type { Names } from '../names.ts';
import type { Organization, Person, Policy, SeedFile, Team } from '../schema.ts';
import type { Path } from '../source.ts';
import { contentSteps, idsOf, policyBody, selectionSteps } from './content.ts';
import type { Space } from './content.ts';
import { organizationCredentialSteps, personalCredentialSteps } from './credentials.ts';
import type { Step } from './step.ts';

/** Returns what a seed file wants to exist, in an order in which it can be created. */
export const stepsOf = ({ people, organizations }: SeedFile): Step[] => [
  ...people.map((person, index) => personStep(person, ['people', index])),
  ...organizations.flatMap((organization, index) =>
    organizationSteps(organization, ['organizations', index]),
  ),
  // Keys may run in organizations, so people's own things come last.
  ...people.flatMap((person, index) => ownSteps(person, ['people', index])),
];

/** Returns the stored form of an address; an invalid one is refused with the person who has it. */
const addressOf = (written: string): string => normalizeAddress(written) ?? written;

const noParams = () => ({});

function personStep(person: Person, at: Path): Step {
  const { email, first_name, last_name, locale, plan } = person;
  const address = addressOf(email);
  return {
    ...{ at, plan, by: address, params: noParams },
    name: { kind: 'person', within: '', name: address },
    route: 'POST /api/auth/register',
    body: () => ({ email, first_name, last_name, locale }),
  };
}

function ownSteps(person: Person, at: Path): Step[] {
  const by = addressOf(person.email);
  const space: Space = { within: ofPerson(by), path: '/api/me', by, params: noParams };
  return [
    ...contentSteps(person, at, space),
    ...selectionSteps(person, ['tools', 'platform_prompts'], at, space),
    ...personalCredentialSteps(person, at, space),
  ];
}

function organizationSteps(organization: Organization, at: Path): Step[] {
  const { name, owner, plan } = organization;
  const by = addressOf(owner);
  const space: Space = {
    ...{ within: ofOrganization(name), path: '/api/organizations/{organization_id}', by },
    params: (names) => ({
      organization_id: names.id({ kind: 'organization', within: '', name }, [...at, 'name']),
    }),
  };
  return [
    {
      ...{ at, plan, by, params: noParams },
      name: { kind: 'organization', within: '', name },
      route: 'POST /api/organizations',
      body(names) {
        names.id({ kind: 'person', within: '', name: by }, [...at, 'owner']);
        return { name };
      },
    },
    ...roleSteps(organization, at, space),
    ...memberSteps(organization, at, space),
    ...contentSteps(organization, at, space),
    ...organization.teams.flatMap((team, index) =>
      teamSteps(team, [...at, 'teams', index], organization.name, space),
    ),
    ...selectionSteps(organization, ORGANIZATION_LISTS, at, space),
    ...organization.teams.flatMap((team, index) =>
      policySteps(team, [...at, 'teams', index, 'policies'], organization.name, space),
    ),
    ...organizationCredentialSteps(organization, at, space),
  ];
}

const ORGANIZATION_LISTS = [
  'tools',
  'platform_prompts',
  'organization_wide_tools',
  'organization_wide_prompts',
] as const;

const roleSteps = (
  { roles, team_roles }: Pick<Organization, 'roles' | 'team_roles'>,
  at: Path,
  { within, path, by, params }: Space,
): Step[] => [
  ...roles.map((role, index): Step => ({
    ...{ at: [...at, 'roles', index], by, params, body: () => role },
    name: { kind: 'role', within, name: role.name },
    route: `POST ${path}/roles`,
  })),
  ...team_roles.map((role, index): Step => ({
    ...{ at: [...at, 'team_roles', index], by, params, body: () => role },
    name: { kind: 'team_role', within, name: role.name },
    route: `POST ${path}/team-roles`,
  })),
];

const personId = (email: string, at: Path, names: Names): string =>
  names.id({ kind: 'person', within: '', name: addressOf(email) }, [...at, 'email']);

const memberSteps = (
  { members }: Pick<Organization, 'members'>,
  at: Path,
  { within, path, by, params }: Space,
): Step[] =>
  members.map(({ email, roles }, index) => {
    const place = [...at, 'members', index];
    return {
      ...{ at: place, by, params, named_by: 'email', renamed: { role_ids: 'roles' } },
      name: { kind: 'member', within, name: addressOf(email) },
      route: `POST ${path}/members`,
      body: (names) => ({
        account_id: personId(email, place, names),
        role_ids: idsOf(
          roles.length === 0 ? ['Member'] : roles,
          [...place, 'roles'],
          { kind: 'role', within },
          names,
        ),
      }),
    };
  });

function teamSteps(team: Team, at: Path, organization: string, outer: Space): Step[] {
  const { name, title, description, members } = team;
  const space = teamSpace(name, at, organization, outer);
  return [
    {
      ...{ at, by: outer.by, params: outer.params, removal: { confirm: name } },
      name: { kind: 'team', within: outer.within, name },
      route: `POST ${outer.path}/teams`,
      body: () => ({ name, title, description }),
    },
    ...members.map(({ email, roles }, index): Step => {
      const place = [...at, 'members', index];
      const renamed = { account_id: 'email', role_ids: 'roles' };
      return {
        ...{ at: place, by: outer.by, params: space.params, named_by: 'email', renamed },
        name: { kind: 'member', within: space.within, name: addressOf(email) },
        route: `POST ${space.path}/members`,
        body: (names) => ({
          account_id: personId(email, place, names),
          role_ids: idsOf(
            roles,
            [...place, 'roles'],
            { kind: 'team_role', within: outer.within },
            names,
          ),
        }),
      };
    }),
    ...contentSteps(team, at, space),
  ];
}

const teamSpace = (name: string, at: Path, organization: string, outer: Space): Space => ({
  ...{ within: ofTeam(organization, name), by: outer.by },
  path: `${outer.path}/teams/{team_id}`,
  params: (names) => ({
    ...outer.params(names),
    team_id: names.id({ kind: 'team', within: outer.within, name }, [...at, 'name']),
  }),
});

const FAMILIES = ['tool', 'resource', 'prompt', 'agent'] as const;

/** Returns the steps that replace the policies of a team, which name items of the organization. */
function policySteps(
  { name, policies }: Pick<Team, 'name' | 'policies'>,
  at: Path,
  organization: string,
  outer: Space,
): Step[] {
  const space = teamSpace(name, at.slice(0, -1), organization, outer);
  return FAMILIES.flatMap((family) => {
    const policy: Policy | undefined = policies[family];
    if (policy === undefined) return [];
    const place = [...at, family];
    return {
      ...{ at: place, name: null, by: outer.by, params: space.params },
      route: `PUT ${space.path}/policies/${family}` as const,
      body: (names: Names) => policyBody(policy, place, outer.within, names),
    };
  });
}
