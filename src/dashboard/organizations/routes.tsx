import { createRoute, redirect } from '@tanstack/react-router';
import { accessRoutesBelow } from '../access/routes.tsx';
import { readAuditFilters } from '../audit/audit.ts';
import { clientRoutesBelow } from '../clients/routes.tsx';
import { connectionRoutesBelow } from '../connections/routes.tsx';
import { contentRoutesBelow } from '../content/routes.tsx';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';
import { keyRoutesBelow } from '../keys/routes.tsx';
import { usageRoutesBelow } from '../usage/routes.tsx';
import { newSearch } from './use-new-dialog.ts';

const page = pagesWith('audit', 'organizations', 'keys', 'mcp', 'content', 'permissions');

const create = createRoute({
  getParentRoute: () => app,
  path: '/organizations/new',
  component: page(() => import('./new-organization-page.tsx'), 'NewOrganizationPage'),
});

const area = createRoute({
  getParentRoute: () => app,
  path: '/org/$organizationId',
  component: page(() => import('./area.tsx'), 'OrganizationArea'),
});

const overview = createRoute({
  getParentRoute: () => area,
  path: '/',
  component: page(() => import('./overview-page.tsx'), 'OrganizationPage'),
});

const members = createRoute({
  getParentRoute: () => area,
  path: '/members',
  component: page(() => import('./members/members-page.tsx'), 'MembersPage'),
});

const member = createRoute({
  getParentRoute: () => area,
  path: '/members/$accountId',
  component: page(() => import('./members/member-page.tsx'), 'MemberPage'),
});

const invitations = createRoute({
  getParentRoute: () => area,
  path: '/invitations',
  validateSearch: newSearch,
  component: page(() => import('./invitations/invitations-page.tsx'), 'InvitationsPage'),
});

const roles = createRoute({
  getParentRoute: () => area,
  path: '/roles',
  component: page(() => import('./roles/roles-page.tsx'), 'RolesPage'),
});

const newRole = createRoute({
  getParentRoute: () => area,
  path: '/roles/new',
  component: page(() => import('./roles/new-role-page.tsx'), 'NewRolePage'),
});

const role = createRoute({
  getParentRoute: () => area,
  path: '/roles/$roleId',
  component: page(() => import('./roles/role-page.tsx'), 'RolePage'),
});

const teamRoles = createRoute({
  getParentRoute: () => area,
  path: '/team-roles',
  component: page(() => import('./roles/roles-page.tsx'), 'TeamRolesPage'),
});

const newTeamRole = createRoute({
  getParentRoute: () => area,
  path: '/team-roles/new',
  component: page(() => import('./roles/new-role-page.tsx'), 'NewTeamRolePage'),
});

const teamRole = createRoute({
  getParentRoute: () => area,
  path: '/team-roles/$roleId',
  component: page(() => import('./roles/role-page.tsx'), 'TeamRolePage'),
});

const teams = createRoute({
  getParentRoute: () => area,
  path: '/teams',
  validateSearch: newSearch,
  component: page(() => import('./teams/teams-page.tsx'), 'TeamsPage'),
});

const team = createRoute({
  getParentRoute: () => area,
  path: '/teams/$teamId',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: string | undefined } =>
    typeof tab === 'string' ? { tab } : {},
  component: page(() => import('./teams/team-page.tsx'), 'TeamPage'),
});

const newOwnRole = createRoute({
  getParentRoute: () => area,
  path: '/teams/$teamId/roles/new',
  component: page(() => import('./roles/new-role-page.tsx'), 'NewOwnRolePage'),
});

const ownRole = createRoute({
  getParentRoute: () => area,
  path: '/teams/$teamId/roles/$roleId',
  component: page(() => import('./roles/role-page.tsx'), 'OwnRolePage'),
});

const mcp = createRoute({
  getParentRoute: () => area,
  path: '/mcp',
  component: page(() => import('./mcp/mcp-page.tsx'), 'OrganizationMcpPage'),
});

const audit = createRoute({
  getParentRoute: () => area,
  path: '/audit',
  validateSearch: readAuditFilters,
  component: pagesWith(
    'audit',
    'organizations',
    'keys',
    'permissions',
  )(() => import('./audit-page.tsx'), 'AuditPage'),
});

const billing = createRoute({
  getParentRoute: () => area,
  path: '/billing',
  component: page(() => import('./settings/billing-page.tsx'), 'BillingPage'),
});

const sso = createRoute({
  getParentRoute: () => area,
  path: '/sso',
  component: page(() => import('./sso/sso-page.tsx'), 'SsoPage'),
});

const settings = createRoute({
  getParentRoute: () => area,
  path: '/settings',
  component: page(() => import('./settings/settings-page.tsx'), 'OrganizationSettingsPage'),
});

const spaces = () => import('./content-spaces.tsx');

const catalog = createRoute({
  getParentRoute: () => area,
  id: 'catalog',
  component: page(spaces, 'CatalogSpace'),
});

const own = createRoute({
  getParentRoute: () => area,
  id: 'own',
  component: page(spaces, 'MemberSpace'),
});

// The page above a member's own content, so that the navigation marks it for all of that.
const ownContent = createRoute({
  getParentRoute: () => own,
  path: '/me',
  beforeLoad({ params }) {
    throw redirect({ to: '/app/org/$organizationId/me/tools', params, replace: true });
  },
});

// Not below the page of the team: its content has pages of its own.
const teamContent = createRoute({
  getParentRoute: () => area,
  id: 'team-content',
  component: page(spaces, 'TeamSpace'),
});

export const organizationRoutes = [
  create,
  area.addChildren([
    overview,
    members,
    member,
    invitations,
    roles,
    newRole,
    role,
    teamRoles,
    newTeamRole,
    teamRole,
    teams,
    team,
    newOwnRole,
    ownRole,
    ...keyRoutesBelow(() => area),
    ...clientRoutesBelow(() => area),
    ...connectionRoutesBelow(() => area),
    ...usageRoutesBelow(() => area),
    ...accessRoutesBelow(() => area),
    mcp,
    audit,
    sso,
    billing,
    settings,
    catalog.addChildren(contentRoutesBelow(() => catalog, '')),
    own.addChildren([ownContent, ...contentRoutesBelow(() => own, '/me')]),
    teamContent.addChildren(contentRoutesBelow(() => teamContent, '/teams/$teamId')),
  ]),
] as const;
