import { conflict, malformed } from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { domainOf } from '../../platform/text/address.ts';

/** Returns whether an organization has verified a domain. */
export type IsVerifiedDomain = (
  db: Queryable,
  organization_id: string,
  domain: string,
) => Promise<boolean>;

export const domainNotVerified = (address: string) =>
  malformed(
    'domain_not_verified',
    `The organization has not verified the domain ${domainOf(address)}. Verify it under single sign-on first.`,
  );

/** Does not name the domain: the address is the person's own. */
export const ownDomainNotVerified = () =>
  malformed(
    'domain_not_verified',
    'The organization has not verified the domain of the person’s address. Invite the person instead.',
  );

export const alreadyProvisioned = () =>
  conflict(
    'already_provisioned',
    'There is a user with this userName, or for this person. Find and update that one.',
  );

export const ownerAddress = () =>
  malformed(
    'owner_address',
    'A directory cannot change the address of the Owner. Transfer the ownership first.',
  );

export const addressTaken = () =>
  conflict('already_provisioned', 'The address belongs to another account. Use a different one.');
