/** Texts of the pages of the OAuth authorization server, in English. */
export const oauthEn = {
  title: 'Allow {{client}} to use your account?',
  title_organization: 'Allow {{client}} to act for you in {{organization}}?',
  ticked: 'Only what is ticked below is allowed.',
  you: 'You',
  since: 'since {{date}}',
  this_computer: 'A program on this computer',
  this_device: 'An app on this device',
  lookalike:
    'The name looks like {{known}}, but the answer goes to an address that {{known}} does not use. Deny, unless you know who registered this application.',
  lasts:
    'Access lasts until you revoke it in your account under Connections, or until it has not been used for 30 days.',
  lasts_hour:
    'Access lasts for one hour. You can revoke it earlier in your account under Connections.',
  lasts_session:
    'Access ends after 15 minutes, when you end it on that page, or when you sign out.',
  built_in: 'Part of this service: the page on which you try your own tools',
  other_ways: 'Other ways to sign in',
  client: 'Application',
  owner: 'Registered by',
  goes_to: 'Returns you to',
  account: 'Signed in as',
  organization: 'Organization',
  other_account: 'Use another account',
  use: 'Use over MCP',
  manage: 'Manage',
  context_personal: 'Your account',
  context_organization: 'The organization',
  context_team: 'Its teams',
  implied:
    'A permission to change something includes the one to view it. While a part is left out, the permission that includes it is off.',
  off: '{{permission}}: off',
  left_out: 'What is off includes a part that you left out.',
  not_held: 'Grayed out: permissions that you do not have.',
  partly: 'not all',
  all_teams_note:
    'A broad permission: everything that can be done in these teams, even what is not listed here.',
  nothing_held:
    'You have none of the requested permissions, so you can only deny. Ask an administrator of the organization for them, then start again.',
  teams: 'Teams',
  teams_later: 'Also the teams that I join later',
  agent: 'Agent',
  agent_none: 'No agent',
  allow: 'Allow',
  deny: 'Deny',
  not_a_member:
    'Only members of this application’s organization can allow it. Use another account, or deny.',
  organization_suspended:
    'This organization is suspended, so access cannot be allowed now. Try again later, or deny.',
  sign_in_title: 'Sign in to continue',
  sign_in_body: '{{client}} requests access. Sign in to decide; nothing is allowed yet.',
  email: 'E-mail address',
  password: 'Password',
  sign_in: 'Sign in',
  sign_in_with: 'Sign in with {{provider}}',
  sso: 'Use single sign-on',
  no_sso:
    'No single sign-on is set up for this address. Check the address, or use another way to sign in.',
  sso_required: 'The password is wrong, or your organization requires single sign-on.',
  sso_title: 'Continuing to single sign-on',
  passkey: 'Use a passkey',
  passkey_failed: 'The passkey was not accepted. Try again, or use another way to sign in.',
  code_title: 'Second step',
  code_body: 'Enter the code of your authenticator app, or one of your recovery codes.',
  code: 'Code',
  wrong_password:
    'The e-mail address or the password is wrong, or the address is not verified yet.',
  wrong_code: 'The code is wrong, or this sign-in has expired.',
  rate_limited: 'Too many attempts. Wait a while, then try again.',
  choose: 'Choose at least one permission, or deny.',
  agent_gone: 'This agent is not available with what you chose. Choose another one.',
  unavailable: 'The service did not respond. Try again.',
  ended_title: 'This request has ended',
  ended_body:
    'It was started in another browser, took too long or was already decided. Start again in the application.',
  back_title: 'Returning to {{client}}',
  back_body: 'If nothing happens, continue with the link.',
  continue: 'Continue',
  refused_title: 'This request cannot be answered',
  unknown_client: 'The application is not registered here, or it was disabled.',
  unknown_redirect:
    '{{client}} wants the answer sent to an address that is not registered for it. Nothing was allowed.',
  invalid_request: 'The application sent an invalid request. Nothing was allowed.',
  sent_address: 'Address in the request',
  reported: 'Error',
  next_redirect:
    'If you do not know this address, close this page. Otherwise, ask whoever registered the application to add this address to its redirect URIs, exactly as it is shown. Then start again in the application.',
  next_client:
    'Check the client id in the settings of the application, or register it again. Then start again in the application.',
  next_request:
    'Start again in the application. If the error comes back, report it to the makers of the application.',
  nouns: {
    resources: 'Resources',
    tools: 'Tools',
    prompts: 'Prompts',
    agents: 'Agents',
    usage: 'Usage',
    dashboard: 'Overview',
    settings: 'Settings',
    mcp_settings: 'MCP settings',
    general: 'General settings',
    members: 'Members',
    roles: 'Roles',
    team_roles: 'Roles for teams',
    teams: 'Teams',
    all_teams: 'All team permissions',
    keys: 'API keys',
    oauth_clients: 'OAuth clients',
    billing: 'Billing',
    sso: 'Single sign-on',
    policies: 'All policies',
    resource_policies: 'Policies for resources',
    tool_policies: 'Policies for tools',
    prompt_policies: 'Policies for prompts',
    agent_policies: 'Policies for agents',
  },
  verbs: {
    read: 'View',
    create: 'Create',
    update: 'Change',
    delete: 'Delete',
    write: 'Change',
    invite: 'Invite',
    remove: 'Remove',
    promote: 'Promote to the organization',
    revoke: 'Revoke',
  },
} as const;

type Worded<Source> = {
  [Key in keyof Source]: Source[Key] extends string ? string : Worded<Source[Key]>;
};

/** The shape of a translation. */
export type OAuthTexts = Worded<typeof oauthEn>;
