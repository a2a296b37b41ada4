import { compact } from '../response.ts';
import type { UserRow } from './store.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** Returns a user as SCIM describes it; the id is that of the account. */
export function userResource(user: UserRow, base: string) {
  const { given_name: givenName, family_name: familyName } = user;
  const formatted = [givenName, familyName].filter((part) => part !== null).join(' ');
  const location = `${base}/Users/${user.account_id}`;
  return compact({
    schemas: [USER_SCHEMA],
    id: user.account_id,
    externalId: user.external_id,
    userName: user.user_name,
    name: formatted === '' ? null : compact({ formatted, givenName, familyName }),
    displayName: user.display_name,
    emails:
      user.visible_email === null
        ? null
        : [{ value: user.visible_email, type: 'work', primary: true }],
    active: user.active,
    groups:
      user.groups.length === 0
        ? null
        : user.groups.map(({ id, display_name }) => ({
            value: id,
            display: display_name,
            $ref: `${base}/Groups/${id}`,
          })),
    meta: {
      resourceType: 'User',
      created: user.created_at,
      lastModified: user.updated_at,
      location,
    },
  });
}
