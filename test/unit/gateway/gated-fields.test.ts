import { expect, test } from 'vitest';
import { z } from 'zod';
import { memberRoutes, organizationRoutes } from '../../support/access/organization-routes.ts';
import { withImplied } from '../../support/access/permissions.ts';
import { teamRoutes } from '../../support/access/team-routes.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

/** Fields of organizations' responses that have a permission of their own, which shows them all. */
const gates: Readonly<Record<string, string>> = {
  email: 'can_view_organization_members',
  first_name: 'can_view_organization_members',
  members: 'can_view_organization_members',
  plan: 'can_view_organization_billing',
  contact: 'can_view_organization_billing',
  roles: 'can_view_organization_roles',
  role_ids: 'can_view_organization_roles',
  teams: 'can_view_organization_teams',
  team_id: 'can_view_organization_teams',
  tool_policy: 'can_view_team_tool_policies',
  selected: 'can_view_organization_mcp_settings',
  organization_wide: 'can_view_organization_mcp_settings',
  client: 'can_view_organization_oauth_clients',
  credentials: 'can_view_organization_api_keys',
  credential: 'can_view_organization_api_keys',
};

const operations = (verbs: string, noun: string) =>
  verbs.split(' ').map((verb) => `${verb}${noun}`);
const sso = [
  ...operations('get update', 'Sso'),
  ...operations('create get update', 'SsoConnection'),
  'listSsoConnections',
];
const keys = [...operations('create get update', 'OrganizationKey'), 'listOrganizationKeys'];
const clients = [
  ...operations('create get update', 'OrganizationOauthClient'),
  'listOrganizationOauthClients',
];
const connections = ['listOrganizationConnections', 'updateOrganizationConnection'];
const organizations = [...operations('create get update', 'Organization'), 'listOrganizations'];
const teams = [...operations('create get update', 'Team'), 'listTeams'];
const roles = ['OrganizationRole', 'OrganizationTeamRole', 'TeamRole'].flatMap((noun) => [
  ...operations('create get update', noun),
  `list${noun}s`,
]);
const teamRoleNames = roles.filter((name) => name.includes('TeamRole'));
const seats = [...operations('add update', 'TeamMember'), 'listTeamMembers'];
const members = [...operations('get update', 'OrganizationMember'), 'listOrganizationMembers'];
const invitations = [
  ...operations('create resend', 'OrganizationInvitation'),
  'listOrganizationInvitations',
];
const billing = operations('get update', 'OrganizationBilling');
const usage = ['getOrganizationUsage', 'getTeamUsage'];
const catalog = ['listOrganizationCatalogTools', 'listOrganizationCatalogPrompts'];

type Reasons = readonly (readonly [reason: string, operations: readonly string[]])[];
const itsMapping = ['the name of an attribute at the provider', sso] as const;
const linked = [
  'the inviter and the invited address, for who holds the link',
  ['previewInvitation'],
] as const;
const access = [
  ...operations('get', 'MemberAccess'),
  ...['getKeyAccess', 'getConnectionAccess', 'getRoleAccess', 'getTeamAccess'],
  ...['listPermissionHolders', 'listItemUsers', 'explainAccess'],
  ...['listAccessReviewEntries', 'decideAccessReviewEntry'],
  ...['applyAccessReview', 'previewAccessReviewApplication'],
];
const reviews = [...operations('create get update', 'AccessReview'), 'listAccessReviews'];
const ofAudit = 'who has access and where: what the permission to audit is for';
const itsGifts = ['what signing in gives: part of the configuration', sso] as const;
const ofCaller = 'what the caller itself has, in teams where a credential is active';
const ofRecord = 'what the member or invited person was given: part of their record';

/** The responses that show such a field with another permission, and why. */
const justified: Readonly<Record<string, Reasons>> = {
  email: [
    ['the members of the team, which the permission in the team shows', seats],
    ['who created what the permission shows', [...keys, ...clients]],
    ['who created the token', ['listScimTokens', 'createScimToken']],
    ['whose connection it is', connections],
    ['whose credential it is, in a review of all that members have', ['listUnusedAuthority']],
    ['who used the quota', [...usage, 'listOrganizationCalls']],
    ['who made a change: the log has every change', ['listOrganizationAuditEntries']],
    ['the contact for bills, not a member', billing],
    [ofAudit, access],
    ['who took the review', reviews],
    linked,
    itsMapping,
  ],
  first_name: [
    ['the members of the team, which the permission in the team shows', seats],
    itsMapping,
    linked,
  ],
  members: [
    ['a number, which names nobody', [...roles, ...teams]],
    ['a limit of the plan', billing],
    ['who used the quota', usage],
  ],
  plan: [
    ['part of the profile; left out of the list without `can_view_organization`', organizations],
    ['likewise', ['acceptInvitation']],
  ],
  roles: [
    [ofCaller, [...organizations, ...teams, 'acceptInvitation']],
    [ofRecord, [...members, ...invitations]],
    ['what a member was given in the team: part of the seat', seats],
  ],
  teams: [
    [ofCaller, [...organizations, 'acceptInvitation']],
    [ofRecord, [...members, ...invitations]],
    [
      'the teams that the credential is bound to: part of its record',
      [...keys, ...clients, ...connections, 'listMemberCredentials'],
    ],
    itsGifts,
    [ofAudit, access.filter((one) => one !== 'explainAccess')],
  ],
  role_ids: [itsGifts],
  team_id: [itsGifts, ['the team that the role belongs to', teamRoleNames]],
  tool_policy: [['which policies apply to the key (K1)', keys]],
  selected: [['left out without the permission', catalog]],
  organization_wide: [['left out without the permission', catalog]],
  credentials: [['which credentials used the quota, by id', usage]],
  credential: [
    ['which credential made the call, by id', ['listOrganizationCalls']],
    [
      'which credential made the change: the log has every change',
      ['listOrganizationAuditEntries'],
    ],
  ],
};

/** Returns the names of all fields of a response, however deep. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...rest } = schema as { properties?: Record<string, unknown> };
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [name, ...fieldsOf(field)]),
    ...Object.values(rest).flatMap(fieldsOf),
  ];
}

// An item of content has its own permission to view it.
const CONTENT = /(?<!\/catalog)\/(?:resources|prompts|agents|custom-tools|upstreams)(?:\/|$)/;

test('a field that has a permission of its own is shown with another one only where this is justified', async () => {
  const needs = new Map(
    [...organizationRoutes, ...memberRoutes, ...teamRoutes].map((row) => [row.route, row.needs]),
  );
  const found = (await declaredRoutes())
    .filter(({ path }) => /^\/api\/(?:organizations|invitations)/.test(path) && !CONTENT.test(path))
    .flatMap(({ method, path, operation_id, responses }) => {
      const required = needs.get(`${method} ${path}`) ?? '';
      const carried = withImplied(required.startsWith('can_') ? required.split('+') : []);
      const names = Object.values(responses).flatMap((schema) =>
        schema === null
          ? []
          : fieldsOf(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })),
      );
      return [...new Set(names)]
        .filter((name) => name in gates && !carried.has(gates[name]!))
        .map((name) => `${operation_id}.${name}`);
    });

  const expected = Object.entries(justified).flatMap(([name, reasons]) =>
    reasons.flatMap(([, named]) => named.map((operation) => `${operation}.${name}`)),
  );
  expect(found.toSorted()).toEqual(expected.toSorted());
});
