import type { Connection } from '../../platform/postgres/database.ts';
import { nameTaken } from './rules.ts';
import { isNameTaken } from './store.ts';
import { organizationRoles } from './system.ts';

/** Throws 409 for a name in use, before any 422; the unique index decides races. */
export async function requireFreeName(
  connection: Connection,
  role: Parameters<typeof isNameTaken>[1],
): Promise<void> {
  if (organizationRoles.isSystemName(role.name) || (await isNameTaken(connection, role)))
    throw nameTaken();
}
