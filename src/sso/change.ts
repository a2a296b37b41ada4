import { authorityOf } from '../caller/actor.ts';
import type { SessionPrincipal } from '../caller/principal.ts';
import type { RequestFacts } from '../caller/route.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { Transaction } from '../platform/postgres/database.ts';
import { lockOrganization } from '../organizations/organizations.ts';

/** Returns the common fields of an edit of single sign-on, in the organization's audit log. */
export const editOf = (caller: SessionPrincipal, organization_id: string, request: RequestFacts) =>
  ({
    ...authorityOf(caller, request),
    writes: [{ kind: 'organization', id: organization_id }],
  }) as const;

/** Locks the organization, so that limits and enforcement are decided one after another. */
export async function requireOrganization(transaction: Transaction, id: string): Promise<void> {
  if ((await lockOrganization(transaction, id)) === null) throw absent('deleted concurrently');
}
