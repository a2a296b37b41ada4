import { useContext } from 'react';
import type { Organization } from './organizations.ts';
import { pathOf } from './organizations.ts';
import { OrganizationContext } from './use-organization.ts';

type Noun = 'api_keys' | 'oauth_clients' | 'usage';

/** The owner of the keys, clients, connections and usage on a page: the person, or an organization. */
export interface Owner {
  /** Null for the person. */
  organization: Organization | null;
  /** Prefix of the REST paths; that of keys; and prefix of the pages. */
  api: string;
  keys: string;
  pages: string;
  /** Returns the permission that is missing for an act; null if it is held, as by every person for their own. */
  lacks(verb: string, noun: Noun): string | null;
}

/** Returns the path of the keys of an organization; of the person if there is none. */
export const keysPath = (organizationId: string | undefined): string =>
  organizationId === undefined ? '/api/keys' : pathOf(organizationId, '/keys');

const person: Owner = {
  ...{ organization: null, api: '/api/me', keys: keysPath(undefined), pages: '/app' },
  lacks: () => null,
};

/** Returns the owner that the address names. */
export function useOwner(): Owner {
  const organization = useContext(OrganizationContext);
  if (organization === null) return person;
  const { id, membership } = organization;
  return {
    organization,
    ...{ api: pathOf(id), keys: keysPath(id), pages: `/app/org/${id}` },
    lacks(verb, noun) {
      const permission = `can_${verb}_organization_${noun}`;
      return membership.permissions.includes(permission) ? null : permission;
    },
  };
}
