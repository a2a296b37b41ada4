import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';

/** Saves that a person registered through an invitation. */
export async function insertInvitedRegistration(
  transaction: Transaction,
  { registration_id, invitation_id }: { registration_id: string; invitation_id: string },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization_invitation_registration (registration_id, invitation_id)
    VALUES (${registration_id}, ${invitation_id})`);
}

/** Saves which account a registration became; the account then waits to join. */
export async function claimRegistration(
  transaction: Transaction,
  { registration_id, account_id }: { registration_id: string; account_id: string },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization_invitation_registration SET account_id = ${account_id}
    WHERE registration_id = ${registration_id} AND account_id IS NULL`);
}

const PendingJoinRow = z.object({
  registration_id: z.string(),
  invitation_id: z.string(),
  account_id: z.string(),
});
/** An account that is to join through an invitation. */
export type PendingJoin = z.infer<typeof PendingJoinRow>;

/** Lists the accounts that are to join; with `account_id`, only that one. */
export function listPendingJoins(db: Queryable, limit: number, account_id: string | null) {
  return db.any(sql.type(PendingJoinRow)`
    SELECT registration_id, invitation_id, account_id FROM organization_invitation_registration
    WHERE account_id IS NOT NULL
      AND (${account_id}::uuid IS NULL OR account_id = ${account_id}::uuid)
    ORDER BY registration_id LIMIT ${limit}`);
}

export async function removePendingJoin(
  db: Queryable,
  { registration_id }: Pick<PendingJoin, 'registration_id'>,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM organization_invitation_registration WHERE registration_id = ${registration_id}`);
}
