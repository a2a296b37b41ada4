/** One group of the reference: its name, and its tags with what their operations are about. */
interface TagGroup {
  name: string;
  tags: Readonly<Record<string, string>>;
}

/** Every tag of the API reference, in reading order. */
const GROUPS: readonly TagGroup[] = [
  {
    name: 'You',
    tags: {
      'Sign-up': 'Creating an account and verifying its address.',
      'Sign-in': 'Signing in with a password, a passkey, a provider or single sign-on.',
      Sessions: 'Browsers in which a person is signed in.',
      Password: 'Changing the password, or resetting a forgotten one.',
      'Second factors': 'The authenticator app and the recovery codes.',
      Passkeys: 'Passkeys for signing in.',
      'Linked accounts': 'Accounts at third-party providers for signing in.',
      Profile: 'The names, the language and the settings of an account.',
      'E-mail address': 'Changing the address.',
      'Account data': 'Exporting or deleting an account with all its data.',
      'Audit log': 'What was done with an account.',
      'API keys': 'Keys with which agents act for a person.',
    },
  },
  {
    name: 'Personal space',
    tags: {
      Catalog: 'Built-in tools and prompts that can be selected.',
      'MCP settings': 'Built-in items that a person selected.',
      Upstreams: 'MCP servers of a person, whose tools custom tools call.',
      'Custom tools': 'Tools of a person that call an API or an upstream.',
      Prompts: 'Prompt templates of a person.',
      Resources: 'Documents of a person that agents read.',
      Agents: 'Agent definitions of a person.',
      'Space file': 'Exporting and importing a personal space.',
      Usage: 'Calls of an account, and the usage of its limits.',
    },
  },
  {
    name: 'Organizations',
    tags: {
      Organizations: 'Organizations, their ownership and their billing.',
      Members: 'Members of an organization and their roles.',
      Invitations: 'Inviting people to an organization, and accepting an invitation.',
      Roles: 'Roles of an organization and what they permit.',
      'Organization keys': 'API keys that belong to an organization instead of a person.',
      'Single sign-on': 'Identity providers and e-mail domains of an organization.',
      'SCIM tokens': 'Tokens with which a directory manages the members of an organization.',
      'Organization catalog': 'Built-in tools and prompts that an organization can select.',
      'Organization MCP settings': 'Built-in items that an organization selected.',
      'Organization upstreams': 'MCP servers of an organization.',
      'Organization custom tools': 'Custom tools of an organization.',
      'Organization prompts': 'Prompt templates of an organization.',
      'Organization resources': 'Documents of an organization that agents read.',
      'Organization agents': 'Agent definitions of an organization.',
      'Member upstreams': 'MCP servers in a member’s own space in an organization.',
      'Member custom tools': 'Custom tools in a member’s own space in an organization.',
      'Member prompts': 'Prompt templates in a member’s own space in an organization.',
      'Member resources': 'Documents in a member’s own space in an organization.',
      'Member agents': 'Agent definitions in a member’s own space in an organization.',
      'Organization usage': 'Calls of an organization, and the usage of its limits.',
      'Organization audit log': 'What was done in an organization.',
      'Access reviews': 'What everyone in an organization may do, and what was decided about it.',
    },
  },
  {
    name: 'Teams',
    tags: {
      Teams: 'Teams of an organization.',
      'Team members': 'Members of a team and their roles in it.',
      'Team roles': 'Roles for one team or for all teams of an organization.',
      'Team policies':
        'Policies by which a team admits items of the organization. Organization-wide items need none. Built-in ones must also be selected with `replaceOrganizationMcpSettings`.',
      'Team upstreams': 'MCP servers of a team.',
      'Team custom tools': 'Custom tools of a team.',
      'Team prompts': 'Prompt templates of a team.',
      'Team resources': 'Documents of a team that agents read.',
      'Team agents': 'Agent definitions of a team.',
      'Team usage': 'Calls to the items of a team.',
    },
  },
  {
    name: 'MCP and OAuth',
    tags: {
      'OAuth clients': 'OAuth clients that a person registered, and presets for known ones.',
      'OAuth connections': 'OAuth clients that a person authorized.',
      'OAuth consent': 'Deciding what an OAuth client requests.',
      'Organization OAuth clients': 'OAuth clients that an organization registered.',
      'Organization OAuth connections': 'OAuth clients that act in an organization.',
    },
  },
  {
    name: 'Service',
    tags: {
      Jobs: 'Requests that were sent with `Prefer: respond-async`.',
      Service: 'The state of the service, and what it offers before sign-in.',
    },
  },
];

/** The tags of the OpenAPI document; `x-tagGroups` is read by Redocly and Scalar. */
export const describedTags = {
  tags: GROUPS.flatMap(({ tags }) =>
    Object.entries(tags).map(([name, description]) => ({ name, description })),
  ),
  'x-tagGroups': GROUPS.map(({ name, tags }) => ({ name, tags: Object.keys(tags) })),
};
