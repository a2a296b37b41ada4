import { createServices } from '../../organizations/organizations.ts';
import { listAuthority } from '../authority.ts';
import { removeBindings } from '../bindings/store.ts';
import { deleteKeys } from '../store.ts';
import { declaredRelations, grantFor, grantRelations } from '../tuples.ts';
import {
  findSeats,
  findServiceById,
  findServices,
  listFollowers,
  listSeats,
  listServices,
  listServicesIn,
} from './store.ts';

/** Keys that belong to organizations. */
export const keyServices = createServices({
  subject: 'org_key',
  store: {
    ...{ findServices, findServiceById, listServices, listFollowers },
    ...{ listSeats, listServicesIn, findSeats, remove: deleteKeys, removeBindings },
  },
  async relationsOf(connection, { id, organization_id }) {
    const owner = { kind: 'organization', id: organization_id } as const;
    const [key] = await listAuthority(connection, { owner, id });
    if (key === undefined) return null;
    return [...declaredRelations(key), ...grantRelations(grantFor(key.grants, organization_id))];
  },
});
