/** Pages of a person and of an organization alike, below its address. */
const OF_BOTH = [
  ...['', '/keys', '/keys/new', '/keys/$keyId', '/clients', '/clients/new', '/clients/$clientId'],
  ...['/connections', '/connections/$connectionId', '/mcp', '/usage'],
  ...['prompts', 'resources', 'agents', 'tools'].flatMap((family) => [
    ...[`/${family}`, `/${family}/new`, `/${family}/$${family}`],
  ]),
  ...['/tools/import', '/tools/upstreams', '/tools/upstreams/new'],
  ...['/tools/upstreams/import', '/tools/upstreams/$upstreamId'],
];

/**
 * The addresses of the dashboard's pages, with `$` before what names an entity. Content of a team and
 * of a member has the pages of the organization's, below other addresses.
 */
export const pages = {
  signedOut: ['/sign-in', '/sign-up', '/forgot', '/first-run'],
  personal: [
    ...OF_BOTH,
    ...['/connect', '/try', '/organizations/new', '/settings', '/settings/security'],
    ...['/settings/sessions', '/settings/audit', '/settings/data'],
    ...['/connect-server', '/connect-server/$upstreamId'],
  ].map((path) => `/app${path}`),
  organization: [
    ...OF_BOTH,
    ...['/members', '/members/$accountId', '/invitations', '/roles', '/roles/new'],
    ...['/roles/$roleId', '/team-roles', '/team-roles/new', '/team-roles/$teamRoleId', '/teams'],
    ...['/teams/$teamId', '/teams/$teamId/roles/new', '/teams/$teamId/roles/$ownRoleId'],
    ...['/audit', '/billing', '/sso', '/settings', '/me'],
    ...[
      '',
      '/who',
      '/explain',
      '/compare',
      '/reviews',
      '/reviews/$reviewId',
      '/decisions',
      '/unused',
    ].map((path) => `/access${path}`),
  ].map((path) => `/app/org/$organizationId${path}`),
} as const;
