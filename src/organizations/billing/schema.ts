import { z } from 'zod';
import { Plan, planNames } from '../../platform/config/plans.ts';

import { visibleName } from '../../platform/text/visible-name.ts';
import { visibleText } from '../../platform/text/visible-text.ts';

const NAME_CHARACTERS = 200;
const EMAIL_CHARACTERS = 254;
const ADDRESS_CHARACTERS = 1_000;
const TAX_ID_CHARACTERS = 64;

/** The contact that invoices name; a field is null until it is set. */
export const BillingContact = z
  .object({
    name: z.string().nullable(),
    email: z.string().nullable(),
    address: z.string().nullable(),
    tax_id: z.string().nullable(),
  })
  .meta({ id: 'BillingContact' });
export type BillingContact = z.infer<typeof BillingContact>;

/** Omitted fields stay unchanged; null clears a field. */
export const BillingEdit = z
  .object({
    contact: z
      .object({
        name: visibleName(NAME_CHARACTERS).nullable(),
        email: z.string().max(EMAIL_CHARACTERS).nullable(),
        address: visibleText(ADDRESS_CHARACTERS)
          .trim()
          .min(1)
          .nullable()
          .describe('Can have several lines.'),
        tax_id: visibleName(TAX_ID_CHARACTERS).nullable(),
      })
      .partial()
      .optional(),
  })
  .meta({ id: 'BillingEdit' });
export type BillingEdit = z.infer<typeof BillingEdit>;

export const BillingRecord = z
  .object({
    plan: z.enum(planNames),
    limits: Plan.omit({ organizations: true }).describe('Limits of the plan.'),
    contact: BillingContact,
  })
  .meta({ id: 'Billing' });
export type BillingRecord = z.infer<typeof BillingRecord>;
