import { createContext, useContext } from 'react';
import type { Organization } from './organizations.ts';

/** The organization whose pages are open; null in a person's own space. */
export const OrganizationContext = createContext<Organization | null>(null);

/** Returns the organization whose pages are open, and what the person may do in it. */
export function useOrganization() {
  const organization = useContext(OrganizationContext);
  if (organization === null) throw new Error('This is not a page of an organization.');
  const held = new Set(organization.membership.permissions);
  return {
    organization,
    id: organization.id,
    name: organization.name,
    held,
    may: (permission: string) => held.has(permission),
  };
}
