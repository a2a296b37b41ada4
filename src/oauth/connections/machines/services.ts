import { createServices } from '../../../organizations/organizations.ts';
import { findMachineAuthority } from '../authority.ts';
import { deleteMachines, removeBindings } from '../store.ts';
import { scopeRelations } from '../tuples.ts';
import {
  findSeats,
  findServiceById,
  findServices,
  listFollowers,
  listSeats,
  listServices,
  listServicesIn,
} from './store.ts';

/** Connections of clients that act by themselves in an organization. */
export const machineServices = createServices({
  subject: 'machine',
  store: {
    ...{ findServices, findServiceById, listServices, listFollowers },
    ...{ listSeats, listServicesIn, findSeats, remove: deleteMachines, removeBindings },
  },
  async relationsOf(connection, machine) {
    const row = await findMachineAuthority(connection, machine);
    return row && [...scopeRelations(row.scopes, ['organization', 'team'])];
  },
});
