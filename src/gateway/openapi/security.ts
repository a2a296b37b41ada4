import { grantName, ownerSessionName, scopeName, scopesIn } from '../../authz/permissions.ts';
import { scopeDescription } from '../../authz/authz.ts';
import { isInOrganization, isInteractive, isOnObject, refusesKeys } from '../../caller/access.ts';
import type { Access, MemberAccess } from '../../caller/access.ts';

/** Returns the security schemes: the ways to send a credential, and all scopes of access tokens. */
export const securitySchemes = (baseUrl: string, sessionCookie: string) => ({
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description:
      'Signing in sets it. Browsers send it by themselves; unsafe requests must come from a page of this deployment.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `access_token` that signing in returns; it is valid for 15 minutes.',
  },
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The `secret` of an API key. It can do what its `grants` name.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'An access token of an OAuth client, as `Authorization: Bearer`. It can do what its scopes name and its person may do.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl: `${baseUrl}/oauth/token`,
        refreshUrl: `${baseUrl}/oauth/token`,
        scopes: Object.fromEntries(describedScopes()),
      },
    },
  },
});

/** Returns all scopes; a description that only repeats the name is left out. */
const describedScopes = () =>
  new Set([...scopesIn('personal'), ...scopesIn('organization')])
    .values()
    .map((scope) => [scope, scope.startsWith('mcp_') ? scopeDescription(scope) : ''] as const);

/**
 * The default of the document: any session. Generated clients send the first credential, and only
 * browsers have the cookie.
 */
export const SESSION = [{ session: [] }, { cookie: [] }];

/**
 * Returns which credentials open a route, each alone; an access token needs the named scope.
 * Nothing if only sessions do, which is the document's default.
 */
export function securityOf(access: Access): { security?: Record<string, string[]>[] } {
  if (access === 'public') return { security: [] };
  const { key, token } = othersThan(access);
  const others = [...(key ? [{ api_key: [] }] : []), ...(token ? [{ oauth2: token }] : [])];
  return others.length === 0 ? {} : { security: [...SESSION, ...others] };
}

/** Returns whether keys are accepted, and the scopes of accepted tokens; null if none is. */
function othersThan(access: Access): { key: boolean; token: string[] | null } {
  if (access === 'caller') return { key: true, token: [] };
  if (!isOnObject(access)) return { key: false, token: null };
  if (access.permission === 'see') return { key: !refusesKeys(access), token: [] };
  const { on, permission } = access;
  const scope = scopeName(on, permission);
  return {
    key: !refusesKeys(access) && grantName(on, permission) !== null,
    token: scope === null ? null : [scope],
  };
}

/** Describes what a credential needs to call a route, besides being one of those accepted. */
export function accessSentence(access: Access): string | null {
  if (access === 'public') return null;
  if (isInOrganization(access)) return memberSentence(access);
  if (isInteractive(access)) return null;
  if (!isOnObject(access)) return null;
  const { on, permission } = access;
  if (permission === 'see')
    return on === 'account'
      ? 'Requires a session, or any personal grant or scope.'
      : 'Requires membership, or any grant or scope in the organization.';
  const grant = grantName(on, permission);
  return grant === null ? 'Requires a session, or the scope.' : `Requires \`${grant}\`.`;
}

function memberSentence({ interactive, permission }: MemberAccess): string | null {
  const name = grantName(interactive, permission) ?? ownerSessionName(permission);
  return name === null ? null : `Requires a session with \`${name}\`.`;
}
