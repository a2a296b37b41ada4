import { expect, test } from 'vitest';
import { createRoleDeletion } from '../../../src/organizations/roles/deletion.ts';
import { absent, unavailable } from '../../../src/platform/errors/refusal.ts';

const [organization_id, role_id, replace_with] = ['organization', 'role', 'other'];

/** Deletes a team role whose replacement cannot be read. */
function remove(failure: Error) {
  const dependencies = {
    level: { kind: {}, placesOf: async () => [] },
    database: { pool: { anyFirst: async () => [], any: async () => [] } },
    authz: {},
    grants: { problemsInAny: async () => [] },
    get: async (role: { role_id: string }) => {
      if (role.role_id === replace_with) throw failure;
      return { id: role_id, system: false, team_id: null };
    },
  };
  const role = { organization_id, team_id: null, role_id };
  const caller = { credential: { kind: 'session', id: 's' }, person: 'p', scopes: [] };
  const request = { id: 'r', address: null };
  return createRoleDeletion(dependencies as never)(
    ...([caller, role, { replace_with }, request] as never as [never, never, never, never]),
  );
}

test('a replacement that does not exist is a 422, and an outage while it is read stays a 503', async () => {
  await expect(remove(absent())).rejects.toMatchObject({ code: 'unknown_role' });
  await expect(remove(unavailable('PostgreSQL'))).rejects.toMatchObject({ kind: 'unavailable' });
});
