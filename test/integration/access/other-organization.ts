import { createOrganization, createRole, MEMBER } from '../../support/people/organizations.ts';
import { createTeam, createTeamRole } from '../../support/people/teams.ts';
import { create, FAMILIES } from '../organizations/content-items.ts';
import { publicClient } from './acme.ts';
import type { Acme } from './acme.ts';

/** Ids of objects that exist, but not under the paths of Acme, by what they belong to. */
export type ForeignIds = Record<string, readonly string[]>;

/**
 * Creates an organization of a stranger with one of everything, and one of everything in the team
 * blue of Acme. Names are the same as in Acme wherever names are not unique.
 */
export async function createForeignIds(acme: Acme) {
  const { requireSuccess, people, path, spaces, blue } = acme;
  const { owner, stranger } = people;
  const other = (await createOrganization(stranger)).id;
  const otherPath = `/api/organizations/${other}`;
  const otherRed = (await createTeam(stranger, other, 'red')).id;
  const otherSpaces = [otherPath, `${otherPath}/me`, `${otherPath}/teams/${otherRed}`, '/api/me'];

  /** Returns the ids of a family in all spaces, by space. */
  const byFamily: Record<string, Record<string, string>> = { upstreams: {} };
  for (const family of FAMILIES) byFamily[family] = {};
  for (const [name, items] of Object.entries(spaces))
    for (const [family, ids] of Object.entries(byFamily)) ids[name] = items[family]!;
  for (const space of otherSpaces) {
    for (const family of FAMILIES)
      byFamily[family]![space] = (await create(stranger, space, family)).body.id;
    byFamily['upstreams']![space] = (await acme.again.upstream(stranger, space, 'guide')).id;
  }

  const keyOf = async (who: typeof owner, at: string) =>
    (await requireSuccess(who, { path: at, body: { name: acme.keyName, mcp_capabilities: [] } }))
      .id;
  const clientOf = (who: typeof owner, at: string) =>
    requireSuccess<{ id: string; secrets: { id: string }[] }>(who, {
      path: `${at}/oauth-clients`,
      body: { ...publicClient, type: 'confidential' },
    });
  const clients = [
    await clientOf(stranger, otherPath),
    await clientOf(stranger, '/api/me'),
    await clientOf(owner, '/api/me'),
  ];
  const domain = await acme.again.domain(other, 'other.example');
  const role = { name: 'Held' };
  const foreignRole = (await createRole(stranger, other, role)).id;
  const foreignShared = (await createTeamRole(stranger, `${otherPath}/team-roles`, role)).id;
  const own = { name: 'Own' };
  const foreignOwn = (await createTeamRole(stranger, `${otherPath}/teams/${otherRed}/roles`, own))
    .id;
  const ofBlue = (await createTeamRole(owner, `${path}/teams/${blue}/roles`, own)).id;
  const inRed = (
    await createTeamRole(owner, `${path}/teams/${acme.red}/roles`, { name: 'Own in red' })
  ).id;
  const invitation = await requireSuccess(stranger, {
    path: `${otherPath}/invitations`,
    body: { email: `guest-${other}@example.com`, role_ids: [MEMBER] },
  });
  const rex = acme.ids['rex']!;
  await requireSuccess(owner, {
    path: `${path}/teams/${blue}/members`,
    body: { account_id: rex, role_ids: [] },
  });

  const review = await acme.again.review(stranger, otherPath);

  return {
    byFamily,
    teams: [otherRed, blue],
    /** Ids of objects in the team blue. */
    inBlue: { account_id: rex, role_id: ofBlue },
    /** Ids by the path of a list that does not contain them. */
    lists: {
      '/members': [stranger.account_id],
      // A key of the organization, and keys that do not reach into it.
      '/members/{account_id}/credentials/{kind}': [
        acme.ids['key_id']!,
        (await acme.keyOf(owner, {})).id,
        (await acme.keyOf(stranger, {})).id,
      ],
      '/invitations': [invitation.id],
      '/roles': [foreignRole, foreignShared, foreignOwn, ofBlue, acme.roles.heldInTeam],
      '/team-roles': [foreignShared, foreignOwn, ofBlue, inRed, foreignRole, acme.roles.held],
      '/keys': [
        await keyOf(stranger, `${otherPath}/keys`),
        await keyOf(owner, '/api/keys'),
        await keyOf(stranger, '/api/keys'),
      ],
      '/oauth-clients': clients.map(({ id }) => id),
      '/oauth-clients/{client_id}/secrets': clients.map(({ secrets }) => secrets[0]!.id),
      '/sso/connections': [await acme.again.connection(other)],
      '/connections': [
        await acme.oauth.machine(
          await acme.oauth.client({
            ...{ owner: { organization_id: other }, scopes: ['mcp_tools'] },
            grant_types: ['client_credentials'],
          }),
        ),
        await acme.oauth.authorize(
          await acme.oauth.client({ owner: stranger, scopes: ['mcp_tools'] }),
          owner,
        ),
      ],
      '/access/reviews': [review.review_id],
      '/access/reviews/{review_id}/entries': [review.entry_id],
      '/access/permissions': ['can_view_everything'],
      '/access/items/{family}': [byFamily['custom-tools']![otherPath]!],
      '/sso/domains': [domain],
      '/sso/scim-tokens': [await acme.again.scimToken(other)],
      '/teams/{team_id}/members': [rex, stranger.account_id],
      '/teams/{team_id}/roles': [ofBlue, foreignShared, foreignOwn, foreignRole, acme.roles.held],
    } as ForeignIds,
  };
}
export type Foreign = Awaited<ReturnType<typeof createForeignIds>>;
