/** Names of built-in tools: those of the owner, of the organization, and of all its members. */
export const acmeTools = {
  personal: [
    ...['calculator', 'current_time', 'web_fetch', 'json_query', 'text_diff', 'hash', 'uuid'],
    ...['html_to_markdown', 'semver_compare', 'cron_next'],
  ],
  selected: [
    ...['calculator', 'current_time', 'date_arithmetic', 'web_fetch', 'json_query', 'json_diff'],
    ...['text_diff', 'regex_extract', 'hash', 'uuid', 'csv_to_json', 'semver_compare'],
  ],
  everyone: ['calculator', 'current_time'],
};

const tool = (name: string, title: string, description: string, method: string, path: string) => ({
  ...{ name, title, description, kind: 'http' },
  input_schema: {
    type: 'object',
    properties: { id: { type: 'string', description: 'Number of the ticket, such as ACME-4312.' } },
    required: ['id'],
  },
  http: { method, url: `https://api.acme.example${path}` },
});

const prompt = (name: string, title: string, description: string, content: string) => ({
  ...{ name, title, description },
  arguments: [{ name: 'version', description: 'The version to describe.', required: true }],
  messages: [{ role: 'user', content }],
});

const resource = (path: string, title: string, text: string) => ({ path, title, text });

/** Content of a space, by the family that is in its address. */
export const acmeContent: Readonly<Record<string, readonly object[]>> = {
  'custom-tools': [
    tool(
      'get_ticket',
      'Get a ticket',
      'Reads a ticket of the service desk.',
      'GET',
      '/tickets/{{id}}',
    ),
    tool(
      'close_ticket',
      'Close a ticket',
      'Closes a ticket, and tells its author.',
      'POST',
      '/tickets/{{id}}/close',
    ),
    tool(
      'get_order',
      'Get an order',
      'Reads an order with its positions and its state.',
      'GET',
      '/orders/{{id}}',
    ),
    tool(
      'page_on_call',
      'Page the engineer on call',
      'Pages the person on call for a service.',
      'POST',
      '/pages/{{id}}',
    ),
  ],
  prompts: [
    prompt(
      'release-notes',
      'Release notes',
      'Drafts the notes of a release from its merged changes.',
      'Write release notes for {{version}}. Group the changes by what a customer notices.',
    ),
    prompt(
      'review-checklist',
      'Review checklist',
      'Lists what a reviewer must look at before a release.',
      'List what to check before {{version}} is released.',
    ),
    prompt(
      'incident-summary',
      'Incident summary',
      'Summarizes an incident for people who were not there.',
      'Summarize the incident in {{version}} in five sentences.',
    ),
    prompt(
      'upgrade-guide',
      'Upgrade guide',
      'Explains how customers move to a new version.',
      'Explain how to move to {{version}}.',
    ),
  ],
  resources: [
    resource(
      'runbooks/deploy',
      'How we deploy',
      '# How we deploy\n\n1. Merge to main.\n2. Wait for the checks.\n3. Promote the build.',
    ),
    resource(
      'runbooks/rollback',
      'How we roll back',
      '# How we roll back\n\nPromote the build before.',
    ),
    resource('runbooks/on-call', 'On call', '# On call\n\nAnswer a page within ten minutes.'),
    resource('policies/data-retention', 'Data retention', 'Logs are kept for 30 days.'),
    resource('glossary', 'Words of Acme', 'Position: a line of an order.'),
  ],
  agents: [
    {
      name: 'release-manager',
      description: 'Prepares, checks and announces a release.',
      instructions: 'You prepare releases of Acme.\n\nRead runbooks/deploy first.',
    },
    {
      name: 'ticket-triage',
      description: 'Reads new tickets and finds who should answer.',
      instructions: 'You sort new tickets by what they are about.',
    },
    {
      name: 'nightly-report',
      description: 'Reports each night what has changed.',
      instructions: 'You write a report of the day.',
    },
  ],
};

const all = ['tools', 'prompts', 'resources', 'agents'];

export const acmeKeys = [
  { name: 'claude-code', mcp_capabilities: all },
  { name: 'cursor', mcp_capabilities: ['tools', 'prompts'] },
  { name: 'ci-release', mcp_capabilities: ['tools'] },
  {
    ...{ name: 'nightly-report', mcp_capabilities: ['tools', 'resources'] },
    resource_policy: { mode: 'whitelist', patterns: ['runbooks/**'] },
  },
  { name: 'laptop-of-ada', mcp_capabilities: all },
  { name: 'evaluation-2026', mcp_capabilities: ['prompts'] },
  { name: 'release-manager', mcp_capabilities: ['tools', 'prompts'] },
];

/** Keys of the organization, bound to a team or to none. */
export const acmeOrganizationKeys = [
  { name: 'ci-release', mcp_capabilities: ['tools'], team: 'release' },
  { name: 'nightly-report', mcp_capabilities: ['tools', 'resources'], team: 'platform' },
  { name: 'support-bot', mcp_capabilities: all, team: 'support' },
  { name: 'warehouse-sync', mcp_capabilities: ['tools'], team: null },
];
