import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { organizationsQuery } from './organizations.ts';
import type { Organization } from './organizations.ts';

/**
 * Returns the organization that the address names; null for the person's own space, and for an
 * organization that the person is not in. Before the list is read, only its id is known.
 */
export function useOpenOrganization(): { id: string | null; organization: Organization | null } {
  const { organizationId } = useParams({ strict: false });
  const { data } = useQuery(organizationsQuery);
  const named = organizationId?.toLowerCase() ?? null;
  const organization = data?.find(({ id }) => id === named) ?? null;
  return { id: data === undefined ? named : (organization?.id ?? null), organization };
}
