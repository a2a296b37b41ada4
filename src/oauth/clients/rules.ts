import { everyTeamGrant, scopesIn } from '../../authz/permissions.ts';
import { unknownTeam } from '../../organizations/organizations.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { redirectUriFault } from './redirect-uri.ts';
import type { ClientDraft } from './schema.ts';
import type { ClientOwner } from './store.ts';

/** The fields that must agree with each other. */
export type ClientShape = Pick<
  ClientDraft,
  'type' | 'grant_types' | 'redirect_uris' | 'allowed_scopes' | 'require_pkce' | 'team_ids'
>;

/** Returns the problems of a client as it is to be stored, in the order of its fields. */
export const clientProblems = (owner: ClientOwner['kind'], client: ClientShape): Problem[] => [
  ...grantTypeProblems(owner, client),
  ...redirectUriProblems(client),
  ...scopeProblems(owner, client),
  ...pkceProblems(client),
  // A person's client is in no organization.
  ...(owner === 'account'
    ? (client.team_ids ?? []).map((_, index) => unknownTeam(`/team_ids/${index}`))
    : []),
];

function grantTypeProblems(
  owner: ClientOwner['kind'],
  { type, grant_types }: Pick<ClientShape, 'type' | 'grant_types'>,
): Problem[] {
  if (grant_types.length === 0) return [emptyList('/grant_types')];
  return grant_types.flatMap((name, index) => {
    const fault =
      name === 'client_credentials'
        ? clientCredentialsFault(owner, type)
        : name === 'refresh_token' && !grant_types.includes('authorization_code')
          ? '`refresh_token` needs `authorization_code`, which issues the first token.'
          : null;
    return fault === null
      ? []
      : [problem('grant_type_not_allowed', fault, `/grant_types/${index}`)];
  });
}

function clientCredentialsFault(owner: ClientOwner['kind'], type: ClientShape['type']) {
  if (owner === 'account')
    return 'Only an organization’s client can act by itself with `client_credentials`.';
  return type === 'public'
    ? 'A public client has no secret, so it cannot use `client_credentials`.'
    : null;
}

function redirectUriProblems({
  grant_types,
  redirect_uris,
}: Pick<ClientShape, 'grant_types' | 'redirect_uris'>): Problem[] {
  if (redirect_uris.length === 0)
    return grant_types.includes('authorization_code')
      ? [
          problem(
            'redirect_uri_required',
            'A client with `authorization_code` must have a redirect URI.',
            '/redirect_uris',
          ),
        ]
      : [];
  return redirect_uris.flatMap((text, index) => {
    const fault = redirectUriFault(text);
    if (fault === null) return [];
    const message = `The redirect URI ${fault}.`;
    return [problem('redirect_uri_not_allowed', message, `/redirect_uris/${index}`)];
  });
}

function pkceProblems({
  type,
  require_pkce,
}: Pick<ClientShape, 'type' | 'require_pkce'>): Problem[] {
  if (type === 'confidential' || require_pkce) return [];
  const message =
    'A public client must use PKCE, since it has no secret: leave out `require_pkce`, or send true.';
  return [problem('pkce_required', message, '/require_pkce')];
}

function scopeProblems(
  owner: ClientOwner['kind'],
  { allowed_scopes }: Pick<ClientShape, 'allowed_scopes'>,
): Problem[] {
  if (allowed_scopes.length === 0) return [emptyList('/allowed_scopes')];
  const known = scopesIn(owner === 'account' ? 'personal' : 'organization');
  const message =
    owner === 'account'
      ? 'There is no such scope for a person’s client.'
      : 'There is no such scope for an organization’s client.';
  return allowed_scopes.flatMap((name, index) =>
    known.has(name) ? [] : [problem('unknown_scope', message, `/allowed_scopes/${index}`)],
  );
}

/**
 * A client that acts by itself is in teams that its registrar cannot use: those it is bound to, or
 * all of them.
 */
export const everyTeam = (pointer: string): Problem => ({
  code: 'permission_not_held',
  message:
    'You cannot use every team of this client, which acts by itself: name teams of yours in `team_ids`.',
  detail: { pointer, permission: everyTeamGrant },
});

const emptyList = (pointer: string) =>
  problem('empty_list', 'The list must have at least one entry.', pointer);

const problem = (code: ErrorCode, message: string, pointer: string): Problem => ({
  code,
  message,
  detail: { pointer },
});
