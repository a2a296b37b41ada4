import { randomUUID } from 'node:crypto';
import { goodPassword, newEmail } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import type { Row } from '../../support/access/table.ts';
import { draftOf } from '../organizations/content-items.ts';
import type { FamilyPath } from '../organizations/content-items.ts';
import { nowhere, publicClient } from './acme.ts';
import { ofExplorer } from './explorer-requests.ts';
import type { Acme } from './acme.ts';

/** A well-formed request, and the response if it is allowed. */
export interface Sent {
  body?: object;
  headers?: Record<string, string>;
  allowed: readonly [status: number, code?: string];
  /** Replaces path parameters of the same name. */
  ids?: Record<string, string>;
  /** Undoes what an allowed request did. */
  undo?(): Promise<unknown>;
}

const stale = { 'if-match': '"999"' };
const other = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;

/** Requests about content, by path below a space. */
function contentOf(method: string, path: string): Sent {
  const [, family = '', rest = ''] = /^\/([^/]+)(\/.+)?$/.exec(path) ?? [];
  if (path === '/custom-tools/import')
    return { body: { document: {} }, allowed: [422, 'unsupported_document'] };
  if (path === '/upstreams/{id}/tools')
    return { allowed: [422, 'upstream_authorization_required'] };
  if (method === 'GET') return { allowed: [200] };
  if (path === '/upstreams/import')
    return { body: { document: {} }, allowed: [422, 'unsupported_document'] };
  if (path === '/upstreams/{id}/import')
    return { body: {}, allowed: [422, 'upstream_authorization_required'] };
  if (path === '/upstreams/{id}/changes/approve') return { body: {}, allowed: [200] };
  if (family === 'upstreams') return ofUpstream(method, rest);
  if (rest === '') return { body: draftOf(family as FamilyPath), allowed: [409, 'name_taken'] };
  if (rest.endsWith('/bootstrap'))
    return { body: { key_id: randomUUID() }, allowed: [422, 'unknown_key'] };
  if (rest.endsWith('/approve')) return { body: {}, allowed: [422, 'not_of_an_upstream'] };
  const body = method === 'PATCH' ? { body: {} } : {};
  return { ...body, headers: stale, allowed: [412, 'version_mismatch'] };
}

function ofUpstream(method: string, rest: string): Sent {
  if (rest.endsWith('/connect')) return { allowed: [422, 'upstream_authorization_failed'] };
  if (rest.endsWith('/connection') && method === 'PUT')
    return { body: { state: 'unknown' }, allowed: [422, 'authorization_expired'] };
  if (rest.endsWith('/approve-issuer'))
    return { body: { issuer: 'https://issuer.example' }, allowed: [200] };
  if (method === 'POST')
    return { body: { name: 'guide', url: nowhere }, allowed: [409, 'name_taken'] };
  if (method === 'PATCH')
    return { body: { url: 'http://localhost/' }, allowed: [422, 'url_not_allowed'] };
  return { allowed: [204] };
}

const unknownPolicy = (list: string): Sent => ({
  body: { mode: 'whitelist', [list]: [randomUUID()] },
  allowed: [422, 'unknown_item'],
});
const emptyPolicy = { mode: 'whitelist', patterns: [] };
const unknownRole = { body: { role_ids: [randomUUID()] }, allowed: [422, 'unknown_role'] } as const;
const wrongName = {
  body: { confirm: 'Another', current_password: goodPassword },
  allowed: [422, 'confirmation_mismatch'],
} as const;
const taken = (name: string) => ({ body: { name }, allowed: [409, 'name_taken'] }) as const;
const ofSystem = { allowed: [422, 'system_role'] } as const;
// The organization of these tests is below Enterprise, so that single sign-on changes nothing.
const withoutPlan = {
  body: { current_password: goodPassword },
  allowed: [422, 'plan_required'],
} as const;
const unknownTool = {
  body: {
    ...{ tools: [randomUUID()], organization_wide_tools: [] },
    ...{ platform_prompts: [], organization_wide_prompts: [] },
  },
  allowed: [422, 'unknown_item'],
} as const;

/** Requests that are not about content, by path below an organization. */
const inOrganization = ({ ids, again, keyName }: Acme): Record<string, Sent> => ({
  'PATCH .': { body: {}, allowed: [200] },
  'PUT /mcp-settings': unknownTool,
  'POST /mcp-settings/preview': { ...unknownTool, allowed: [200, 'unknown_item'] },
  'GET /members/{account_id}': { ids: { account_id: ids['noa']! }, allowed: [200] },
  'PATCH /members/{account_id}': { ...unknownRole, ids: { account_id: ids['noa']! } },
  'POST /members/{account_id}/preview': {
    ...{ ...unknownRole, ids: { account_id: ids['noa']! }, allowed: [200, 'unknown_role'] },
  },
  'DELETE /members/{account_id}': {
    ids: { account_id: ids['rex']! },
    allowed: [204],
    undo: () => again.member(ids['rex']!),
  },
  ...ofExplorer(ids),
  'GET /members/{account_id}/credentials': { ids: { account_id: ids['noa']! }, allowed: [200] },
  'DELETE /members/{account_id}/credentials/{kind}/{id}': {
    ids: { account_id: ids['owner']!, kind: 'api_key', id: ids['member_key']! },
    allowed: [204],
    undo: async () => (ids['member_key'] = await again.memberKey()),
  },
  'POST /invitations': {
    body: { email: newEmail(), role_ids: [randomUUID()] },
    allowed: [422, 'unknown_role'],
  },
  'DELETE /invitations/{invitation_id}': {
    ids: { invitation_id: ids['spare_invitation']! },
    allowed: [204],
    undo: async () => (ids['spare_invitation'] = await again.invitation()),
  },
  'POST /invitations/{invitation_id}/resend': { allowed: [200] },
  'POST /roles': taken('admin'),
  'PATCH /roles/{role_id}': { body: { name: 'Mine' }, ...ofSystem },
  'DELETE /roles/{role_id}': ofSystem,
  'POST /roles/{role_id}/preview': { body: { name: 'Mine' }, allowed: [200, 'system_role'] },
  'POST /team-roles': taken('team_admin'),
  'PATCH /team-roles/{role_id}': { body: { name: 'Mine' }, ...ofSystem },
  'DELETE /team-roles/{role_id}': ofSystem,
  'POST /teams': taken('red'),
  'POST /keys': { body: { name: keyName, mcp_capabilities: [] }, allowed: [409, 'name_taken'] },
  // In no team: a key that follows all of them requires the permission to manage every team.
  'POST /keys/preview': {
    body: { name: 'Draft', mcp_capabilities: [], team_ids: [] },
    allowed: [200],
  },
  'POST /keys/{key_id}/preview': { body: {}, allowed: [200] },
  'PATCH /keys/{key_id}': { ids: { key_id: ids['renamed_key']! }, ...taken(keyName) },
  'DELETE /keys/{key_id}': {
    ids: { key_id: ids['deleted_key']! },
    allowed: [204],
    undo: async () => (ids['deleted_key'] = await again.key(randomUUID())),
  },
  'PATCH /sso': withoutPlan,
  'POST /sso/connections': {
    ...withoutPlan,
    body: { name: 'ID', protocol: 'saml', saml: { metadata: 'x' }, ...withoutPlan.body },
  },
  'PATCH /sso/connections/{connection_id}': withoutPlan,
  'DELETE /sso/connections/{connection_id}': withoutPlan,
  'DELETE /sso/connections/{connection_id}/links/{account_id}': {
    ...withoutPlan,
    ids: { account_id: ids['noa']! },
  },
  'POST /sso/connections/{connection_id}/test': withoutPlan,
  'POST /sso/domains': {
    ...withoutPlan,
    body: { domain: 'new.example', ...withoutPlan.body },
  },
  'POST /sso/domains/{domain}/verify': withoutPlan,
  'DELETE /sso/domains/{domain}': withoutPlan,
  'POST /sso/scim-tokens': withoutPlan,
  'DELETE /sso/scim-tokens/{token_id}': {
    allowed: [204],
    undo: async () => (ids['token_id'] = await again.scimToken(ids['organization_id']!)),
  },
  'POST /oauth-clients': {
    body: { ...publicClient, redirect_uris: [] },
    allowed: [422, 'redirect_uri_required'],
  },
  'PATCH /oauth-clients/{client_id}': { body: {}, allowed: [200] },
  'DELETE /oauth-clients/{client_id}': {
    ids: { client_id: ids['deleted_client']! },
    allowed: [204],
    undo: async () => (ids['deleted_client'] = await again.client()),
  },
  'PATCH /connections/{connection_id}': {
    ...{ body: {}, ids: { connection_id: ids['machine']! }, allowed: [200] },
  },
  'GET /connections/{connection_id}/preview': {
    ...{ ids: { connection_id: ids['machine']! }, allowed: [200] },
  },
  'GET /connections/{connection_id}/explain': {
    ...{ ids: { connection_id: ids['machine']! }, allowed: [200] },
  },
  'DELETE /connections/{connection_id}': {
    ids: { connection_id: ids['deleted_machine']! },
    allowed: [204],
    undo: async () => (ids['deleted_machine'] = await again.machine()),
  },
  'POST /oauth-clients/{client_id}/secrets': { allowed: [422, 'secret_not_applicable'] },
  'DELETE /oauth-clients/{client_id}/secrets/{secret_id}': {
    ids: { secret_id: randomUUID() },
    allowed: [404, 'not_found'],
  },
  // Only the Owner is allowed to do this, and no test sends these requests as the Owner.
  'DELETE .': wrongName,
  'PATCH /billing': { body: {}, allowed: [200] },
  'POST /transfer-ownership': {
    body: { account_id: randomUUID(), current_password: 'wrong' },
    allowed: [422, 'not_a_member'],
  },
});

/** Requests that are not about content, by path below a team. */
const inTeam = ({ ids, again }: Acme): Record<string, Sent> => ({
  'PATCH .': taken('blue'),
  'DELETE .': wrongName,
  'POST /members': { body: { account_id: randomUUID() }, allowed: [422, 'not_a_member'] },
  'POST /members/preview': { body: { account_id: randomUUID() }, allowed: [200, 'not_a_member'] },
  'PATCH /members/{account_id}': { ...unknownRole, ids: { account_id: ids['noa']! } },
  'POST /members/{account_id}/preview': {
    ...{ ...unknownRole, ids: { account_id: ids['noa']! }, allowed: [200, 'unknown_role'] },
  },
  'DELETE /members/{account_id}': {
    ids: { account_id: ids['sam']! },
    allowed: [204],
    undo: () => again.seat(ids['sam']!),
  },
  'POST /roles': taken('team_admin'),
  'PATCH /roles/{role_id}': { body: { name: 'Mine' }, ...ofSystem },
  'DELETE /roles/{role_id}': ofSystem,
  'PUT /policies/tool': unknownPolicy('tools'),
  'PUT /policies/prompt': unknownPolicy('prompts'),
  'PUT /policies/agent': unknownPolicy('agents'),
  'PUT /policies/resource': { body: emptyPolicy, allowed: [422, 'empty_list'] },
  'POST /policies/tool/preview': { ...unknownPolicy('tools'), allowed: [200, 'unknown_item'] },
  'POST /policies/prompt/preview': { ...unknownPolicy('prompts'), allowed: [200, 'unknown_item'] },
  'POST /policies/agent/preview': { ...unknownPolicy('agents'), allowed: [200, 'unknown_item'] },
  'POST /policies/resource/preview': { body: emptyPolicy, allowed: [200, 'empty_list'] },
});

const noJob = { ids: { id: randomUUID() }, allowed: [404, 'not_found'] } as const;
const inPersonalSpace: Record<string, Sent> = {
  'GET /jobs/{id}': noJob,
  'DELETE /jobs/{id}': noJob,
  'GET /jobs/{id}/events': noJob,
  'PUT /me/mcp-settings': unknownTool,
  'PATCH /me/settings': { body: {}, allowed: [200] },
};

const CONTENT = /^\/(?:resources|prompts|agents|custom-tools|upstreams)(?:\/|$)/;
const ORGANIZATION = '/api/organizations/{organization_id}';
const spaceOf = (path: string) =>
  [
    `${ORGANIZATION}/teams/{team_id}`,
    `${ORGANIZATION}/me`,
    ORGANIZATION,
    '/api/me',
    '/api',
    '/oauth',
  ].find((base) => path === base || path.startsWith(`${base}/`))!;

/**
 * Builds the request for a route. `person` is who the caller acts for, in whose own spaces the
 * items are.
 */
export function requestOf(acme: Acme, row: Row, person: 'owner' | 'mia') {
  const base = spaceOf(row.path);
  const relative = row.path.slice(base.length);
  const isContent = CONTENT.test(relative);
  const others =
    base === `${ORGANIZATION}/teams/{team_id}`
      ? inTeam(acme)
      : base === ORGANIZATION
        ? inOrganization(acme)
        : inPersonalSpace;
  const key =
    base === '/api/me' ? `${row.method} /me${relative}` : `${row.method} ${relative || '.'}`;
  // No test sends these requests in a session, and a key is refused before its body is read.
  const isOwn = row.needs === 'self';
  const sent = isContent
    ? contentOf(row.method, relative)
    : (others[key] ?? (isOwn || row.method === 'GET' ? { allowed: [200] as const } : undefined));
  if (sent === undefined) throw new Error(`add a request for ${row.route} to requests.ts`);
  const spaceName = {
    [ORGANIZATION]: 'catalog',
    [`${ORGANIZATION}/me`]: `${person} me`,
    [`${ORGANIZATION}/teams/{team_id}`]: 'red',
    '/api/me': 'owner personal',
  }[base] as keyof Acme['spaces'];
  const isRemoved = isContent && row.method === 'DELETE' && relative === '/upstreams/{id}';
  const items = acme.spaces[spaceName];
  const family = relative.split('/')[1] ?? '';
  const ids: Record<string, string> = {
    ...acme.ids,
    ...(base.includes('{team_id}') || relative.startsWith('/team-roles')
      ? { role_id: acme.ids['team_role_id']! }
      : {}),
    ...(isContent ? { id: items[isRemoved ? 'spare' : family]!, version: '1' } : {}),
    ...sent.ids,
  };
  const filled = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'x');
  const isExplained = row.method === 'GET' && row.path.endsWith('/explain');
  const query = isExplained ? '?tool=calculator' : '';
  const undo = isRemoved
    ? async () => {
        const at = base.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
        const who: SignedUp = acme.people[spaceName === 'mia me' ? 'mia' : 'owner'];
        items['spare'] = (await acme.again.upstream(who, at, other('spare'))).id;
      }
    : sent.undo;
  return { ...sent, path: `${filled}${query}`, undo };
}
