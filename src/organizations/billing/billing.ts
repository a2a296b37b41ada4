import { authorityOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { readAddress } from '../../platform/text/address.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { BillingContact, BillingEdit, BillingRecord } from './schema.ts';
import { findBilling, saveContact } from './store.ts';

/**
 * Manages the plan of an organization, which an operator sets, and the contact that its invoices
 * name.
 */
export function createBilling({
  database,
  authz,
  plans,
}: Pick<OrganizationsDependencies, 'database' | 'authz' | 'plans'>) {
  async function read(db: Queryable, organization_id: string): Promise<BillingRecord> {
    const row = await findBilling(db, organization_id);
    if (row === null) throw absent('deleted concurrently');
    const { plan, ...contact } = row;
    const { organizations: _accountLimit, ...limits } = plans[plan];
    return { plan, limits, contact };
  }

  return {
    get: (organization_id: string) => read(database.pool, organization_id),
    /** Changes the contact; omitted fields stay unchanged. */
    async update(
      caller: SessionPrincipal,
      organization_id: string,
      edit: BillingEdit,
      request: RequestFacts,
    ) {
      const { contact: contactEdit = {} } = edit;
      const contact = normalizeEmail(contactEdit);
      const fields = Object.keys(contactEdit);
      if (fields.length > 0)
        await authz.edit({
          ...authorityOf(caller, request),
          reason: 'organization.billing',
          writes: [{ kind: 'organization', id: organization_id }],
          targets: [{ type: 'organization', id: organization_id }],
          async work(transaction) {
            const before = await read(transaction, organization_id);
            await saveContact(transaction, organization_id, applyEdit(before.contact, contact));
          },
          // The audit log is never erased, so it must not contain personal data.
          detail: () => ({ fields }),
        });
      return read(database.pool, organization_id);
    },
  };
}
export type Billing = ReturnType<typeof createBilling>;

type ContactEdit = NonNullable<BillingEdit['contact']>;

/** Normalizes the e-mail address; throws 400 if it is invalid. */
const normalizeEmail = ({ email, ...edit }: ContactEdit): ContactEdit => ({
  ...edit,
  email: typeof email === 'string' ? readAddress(email, '/contact/email') : email,
});

/** Returns the changed contact: omitted fields stay unchanged, and null clears a field. */
const applyEdit = (
  before: BillingContact,
  {
    name = before.name,
    email = before.email,
    address = before.address,
    tax_id = before.tax_id,
  }: ContactEdit,
): BillingContact => ({ name, email, address, tax_id });
