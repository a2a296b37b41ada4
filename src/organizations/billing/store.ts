import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { planNames } from '../../platform/config/plans.ts';
import { OWNER_ROLE } from '../roles/system.ts';
import { BillingContact } from './schema.ts';

const BillingRow = BillingContact.extend({ plan: z.enum(planNames) });

/** Returns the plan and the billing contact; null for a deleted organization. */
export function findBilling(db: Queryable, organization_id: string) {
  return db.maybeOne(sql.type(BillingRow)`
    SELECT o.plan, b.name, b.email, b.address, b.tax_id
    FROM organization o LEFT JOIN organization_billing b ON b.organization_id = o.id
    WHERE o.id = ${organization_id} AND o.deleted_at IS NULL`);
}

/** Selects the contact of `organization o` if `membership m` is the Owner's, otherwise null. */
export const contactColumn = sql.fragment`(
  SELECT json_build_object('name', b.name, 'email', b.email, 'address', b.address,
    'tax_id', b.tax_id)
  FROM organization_billing b
  JOIN membership_role r ON r.membership_id = m.id AND r.role_id = ${OWNER_ROLE}
  WHERE b.organization_id = o.id) AS billing_contact`;

export async function saveContact(
  transaction: Transaction,
  organization_id: string,
  { name, email, address, tax_id }: BillingContact,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization_billing (organization_id, name, email, address, tax_id)
    VALUES (${organization_id}, ${name}, ${email}, ${address}, ${tax_id})
    ON CONFLICT (organization_id) DO UPDATE SET name = excluded.name, email = excluded.email,
      address = excluded.address, tax_id = excluded.tax_id`);
}
