import { randomUUID } from 'node:crypto';
import { machineDraft } from './registering.ts';

/** Fields of a registration that is refused, of a person's or an organization's client. */
export const refusedDrafts: readonly [
  what: string,
  whose: 'own' | 'shared',
  fields: object,
  expected: (number | string)[],
][] = [
  [
    'an unknown scope',
    'own',
    { allowed_scopes: ['mcp_tools', 'mcp_*'] },
    [422, 'unknown_scope /allowed_scopes/1'],
  ],
  [
    'a scope of an organization',
    'own',
    { allowed_scopes: ['read:organization'] },
    [422, 'unknown_scope /allowed_scopes/0'],
  ],
  [
    'a scope of teams',
    'own',
    { allowed_scopes: ['read:team_usage'] },
    [422, 'unknown_scope /allowed_scopes/0'],
  ],
  [
    'a scope of a personal space',
    'shared',
    { allowed_scopes: ['read:prompts'] },
    [422, 'unknown_scope /allowed_scopes/0'],
  ],
  [
    'a capability name',
    'shared',
    { allowed_scopes: ['tools'] },
    [422, 'unknown_scope /allowed_scopes/0'],
  ],
  ['no scope', 'own', { allowed_scopes: [] }, [422, 'empty_list /allowed_scopes']],
  ['missing scopes', 'own', { allowed_scopes: undefined }, [400, 'invalid_body /allowed_scopes']],
  [
    'a repeated scope',
    'own',
    { allowed_scopes: ['mcp_tools', 'mcp_tools'] },
    [400, 'invalid_body /allowed_scopes'],
  ],
  ['no grant type', 'own', { grant_types: [] }, [422, 'empty_list /grant_types']],
  [
    'an unknown grant type',
    'own',
    { grant_types: ['implicit'] },
    [400, 'invalid_body /grant_types/0'],
  ],
  [
    'refresh_token alone',
    'own',
    { grant_types: ['refresh_token'] },
    [422, 'grant_type_not_allowed /grant_types/0'],
  ],
  [
    'client_credentials of a person',
    'own',
    { ...machineDraft },
    [422, 'grant_type_not_allowed /grant_types/0'],
  ],
  [
    'client_credentials without a secret',
    'shared',
    { ...machineDraft, type: 'public' },
    [422, 'grant_type_not_allowed /grant_types/0'],
  ],
  ['no redirect URI', 'own', { redirect_uris: [] }, [422, 'redirect_uri_required /redirect_uris']],
  [
    'a refused redirect URI',
    'own',
    { redirect_uris: ['http://localhost/', 'https://a.example/#x'] },
    [422, 'redirect_uri_not_allowed /redirect_uris/1'],
  ],
  [
    'what is not a URI',
    'own',
    { redirect_uris: ['callback'] },
    [400, 'invalid_body /redirect_uris/0'],
  ],
  [
    'no PKCE for a public client',
    'own',
    { require_pkce: false },
    [422, 'pkce_required /require_pkce'],
  ],
  [
    'a word for whether PKCE is required',
    'own',
    { require_pkce: 'no' },
    [400, 'invalid_body /require_pkce'],
  ],
  ['an unknown team', 'shared', { team_ids: [randomUUID()] }, [422, 'unknown_team /team_ids/0']],
  ['a team of a person', 'own', { team_ids: [randomUUID()] }, [422, 'unknown_team /team_ids/0']],
  ['an empty name', 'own', { name: ' ' }, [400, 'invalid_body /name']],
];
