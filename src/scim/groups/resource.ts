import { compact } from '../response.ts';
import type { GroupRow } from './store.ts';

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** Returns a group as SCIM describes it; the id is that of the team. */
export function groupResource(group: GroupRow, base: string) {
  return compact({
    schemas: [GROUP_SCHEMA],
    id: group.team_id,
    externalId: group.external_id,
    displayName: group.display_name,
    members: group.members?.map(({ account_id, display }) => ({
      value: account_id,
      display,
      type: 'User',
      $ref: `${base}/Users/${account_id}`,
    })),
    meta: {
      resourceType: 'Group',
      created: group.created_at,
      lastModified: group.updated_at,
      location: `${base}/Groups/${group.team_id}`,
    },
  });
}
