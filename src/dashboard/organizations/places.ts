import {
  IconBuilding,
  IconFingerprint,
  IconHistory,
  IconKey,
  IconMail,
  IconReceipt,
  IconSettings,
  IconShieldCheck,
  IconShieldLock,
  IconTools,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react';

/** The pages of an organization, and the permission without which a page is not listed. */
export const PLACES = [
  { to: '/app/org/$organizationId', text: 'org.overview', needs: null, Icon: IconBuilding },
  {
    to: '/app/org/$organizationId/members',
    text: 'org.members',
    needs: 'can_view_organization_members',
    Icon: IconUsers,
  },
  {
    to: '/app/org/$organizationId/invitations',
    text: 'org.invitations',
    needs: 'can_view_organization_members',
    Icon: IconMail,
  },
  {
    to: '/app/org/$organizationId/teams',
    text: 'org.teams',
    // Members see the teams that they are in without any permission.
    needs: null,
    Icon: IconUsersGroup,
  },
  {
    to: '/app/org/$organizationId/roles',
    text: 'org.roles',
    needs: 'can_view_organization_roles',
    Icon: IconShieldLock,
  },
  {
    to: '/app/org/$organizationId/team-roles',
    text: 'org.team_roles',
    needs: 'can_view_organization_team_roles',
    Icon: IconShieldCheck,
  },
  {
    to: '/app/org/$organizationId/keys',
    text: 'org.keys',
    needs: 'can_view_organization_api_keys',
    Icon: IconKey,
  },
  {
    to: '/app/org/$organizationId/mcp',
    text: 'org.mcp',
    needs: 'can_view_organization_mcp_settings',
    Icon: IconTools,
  },
  {
    to: '/app/org/$organizationId/audit',
    text: 'org.audit',
    needs: 'can_view_organization_audit',
    Icon: IconHistory,
  },
  {
    to: '/app/org/$organizationId/sso',
    text: 'org.sso',
    needs: 'can_view_organization_sso',
    Icon: IconFingerprint,
  },
  {
    to: '/app/org/$organizationId/billing',
    text: 'org.billing',
    needs: 'can_view_organization_billing',
    Icon: IconReceipt,
  },
  {
    to: '/app/org/$organizationId/settings',
    text: 'org.settings',
    needs: null,
    Icon: IconSettings,
  },
] as const;
