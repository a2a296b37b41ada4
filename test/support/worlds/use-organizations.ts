import { createJoins, createOrganization } from '../people/organizations.ts';
import { oneAddress, signUp } from '../people/people.ts';
import { closeAfterTests } from './close-after-tests.ts';
import { useGateway } from './use-gateway.ts';

/**
 * Starts a world for a test file in which people join organizations without an invitation. Further
 * gateways have the same address.
 */
export async function useOrganizations(env: Record<string, string> = {}) {
  const { world, gateway } = await useGateway({ ...oneAddress, ...env });
  const joins = await closeAfterTests(createJoins(gateway));

  /** Signs up a person, and creates their organization. */
  async function organization() {
    const owner = await signUp(world, gateway, 'owner');
    const { id } = await createOrganization(owner);
    return {
      ...{ id, owner, path: `/api/organizations/${id}` },
      /** Signs up a person and makes them a member, with the role Member by default. */
      async join(role_ids?: string[], name = 'member') {
        const person = await signUp(world, gateway, name);
        await joins.add(id, person, role_ids);
        return person;
      },
    };
  }

  return { world, gateway, joins, organization };
}
