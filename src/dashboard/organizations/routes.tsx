import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { contentRoutesBelow } from '../content/routes.tsx';
import { app } from '../frame/routes.tsx';

const create = createRoute({
  getParentRoute: () => app,
  path: '/organizations/new',
  component: lazyRouteComponent(() => import('./new-organization-page.tsx'), 'NewOrganizationPage'),
});

const area = createRoute({
  getParentRoute: () => app,
  path: '/org/$organizationId',
  component: lazyRouteComponent(() => import('./area.tsx'), 'OrganizationArea'),
});

const overview = createRoute({
  getParentRoute: () => area,
  path: '/',
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OrganizationPage'),
});

const members = createRoute({
  getParentRoute: () => area,
  path: '/members',
  component: lazyRouteComponent(() => import('./members/members-page.tsx'), 'MembersPage'),
});

const member = createRoute({
  getParentRoute: () => area,
  path: '/members/$accountId',
  component: lazyRouteComponent(() => import('./members/member-page.tsx'), 'MemberPage'),
});

const invitations = createRoute({
  getParentRoute: () => area,
  path: '/invitations',
  component: lazyRouteComponent(
    () => import('./invitations/invitations-page.tsx'),
    'InvitationsPage',
  ),
});

const roles = createRoute({
  getParentRoute: () => area,
  path: '/roles',
  component: lazyRouteComponent(() => import('./roles/roles-page.tsx'), 'RolesPage'),
});

const newRole = createRoute({
  getParentRoute: () => area,
  path: '/roles/new',
  component: lazyRouteComponent(() => import('./roles/new-role-page.tsx'), 'NewRolePage'),
});

const role = createRoute({
  getParentRoute: () => area,
  path: '/roles/$roleId',
  component: lazyRouteComponent(() => import('./roles/role-page.tsx'), 'RolePage'),
});

const teamRoles = createRoute({
  getParentRoute: () => area,
  path: '/team-roles',
  component: lazyRouteComponent(() => import('./roles/roles-page.tsx'), 'TeamRolesPage'),
});

const newTeamRole = createRoute({
  getParentRoute: () => area,
  path: '/team-roles/new',
  component: lazyRouteComponent(() => import('./roles/new-role-page.tsx'), 'NewTeamRolePage'),
});

const teamRole = createRoute({
  getParentRoute: () => area,
  path: '/team-roles/$roleId',
  component: lazyRouteComponent(() => import('./roles/role-page.tsx'), 'TeamRolePage'),
});

const teams = createRoute({
  getParentRoute: () => area,
  path: '/teams',
  component: lazyRouteComponent(() => import('./teams/teams-page.tsx'), 'TeamsPage'),
});

const team = createRoute({
  getParentRoute: () => area,
  path: '/teams/$teamId',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: string | undefined } =>
    typeof tab === 'string' ? { tab } : {},
  component: lazyRouteComponent(() => import('./teams/team-page.tsx'), 'TeamPage'),
});

const newOwnRole = createRoute({
  getParentRoute: () => area,
  path: '/teams/$teamId/roles/new',
  component: lazyRouteComponent(() => import('./roles/new-role-page.tsx'), 'NewOwnRolePage'),
});

const ownRole = createRoute({
  getParentRoute: () => area,
  path: '/teams/$teamId/roles/$roleId',
  component: lazyRouteComponent(() => import('./roles/role-page.tsx'), 'OwnRolePage'),
});

const keys = createRoute({
  getParentRoute: () => area,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'OrganizationKeysPage'),
});

const newKey = createRoute({
  getParentRoute: () => area,
  path: '/keys/new',
  component: lazyRouteComponent(() => import('./keys/new-key-page.tsx'), 'NewOrganizationKeyPage'),
});

const key = createRoute({
  getParentRoute: () => area,
  path: '/keys/$keyId',
  component: lazyRouteComponent(() => import('./keys/key-page.tsx'), 'OrganizationKeyPage'),
});

const mcp = createRoute({
  getParentRoute: () => area,
  path: '/mcp',
  component: lazyRouteComponent(() => import('./mcp/mcp-page.tsx'), 'OrganizationMcpPage'),
});

/** Parameters of the address that are texts; others are left out. */
const textsOf =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>): { [One in Name]?: string | undefined } => {
    const found: { [One in Name]?: string | undefined } = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'string' && value !== '') found[name] = value;
    }
    return found;
  };

const audit = createRoute({
  getParentRoute: () => area,
  path: '/audit',
  validateSearch: textsOf('action', 'outcome', 'from', 'to'),
  component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
});

const billing = createRoute({
  getParentRoute: () => area,
  path: '/billing',
  component: lazyRouteComponent(() => import('./settings/billing-page.tsx'), 'BillingPage'),
});

const sso = createRoute({
  getParentRoute: () => area,
  path: '/sso',
  component: lazyRouteComponent(() => import('./sso/sso-page.tsx'), 'SsoPage'),
});

const settings = createRoute({
  getParentRoute: () => area,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('./settings/settings-page.tsx'),
    'OrganizationSettingsPage',
  ),
});

const spaces = () => import('./content-spaces.tsx');

const catalog = createRoute({
  getParentRoute: () => area,
  id: 'catalog',
  component: lazyRouteComponent(spaces, 'CatalogSpace'),
});

const own = createRoute({
  getParentRoute: () => area,
  path: '/me',
  component: lazyRouteComponent(spaces, 'MemberSpace'),
});

// Not below the page of the team: its content has pages of its own.
const teamContent = createRoute({
  getParentRoute: () => area,
  id: 'team-content',
  component: lazyRouteComponent(spaces, 'TeamSpace'),
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
    keys,
    newKey,
    key,
    mcp,
    audit,
    sso,
    billing,
    settings,
    catalog.addChildren(contentRoutesBelow(() => catalog, '')),
    own.addChildren(contentRoutesBelow(() => own, '')),
    teamContent.addChildren(contentRoutesBelow(() => teamContent, '/teams/$teamId')),
  ]),
] as const;
