import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Connection, Transaction } from '../../../platform/postgres/database.ts';

/** Notes that a registration was sent with the link of an invitation. */
export async function insertInvitedRegistration(
  transaction: Transaction,
  { registration_id, invitation_id }: { registration_id: string; invitation_id: string },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization_invitation_registration (registration_id, invitation_id)
    VALUES (${registration_id}, ${invitation_id})`);
}

/** Notes the account that a registration became: it is to join. */
export async function claimRegistration(
  transaction: Transaction,
  { registration_id, account_id }: { registration_id: string; account_id: string },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization_invitation_registration SET account_id = ${account_id}
    WHERE registration_id = ${registration_id} AND account_id IS NULL`);
}

const WaitingRow = z.object({
  registration_id: z.string(),
  invitation_id: z.string(),
  account_id: z.string(),
});
/** An account that is to join by an invitation. */
export type Waiting = z.infer<typeof WaitingRow>;

/** Returns accounts that are to join, or this one if it is. */
export function listWaiting(connection: Connection, limit: number, account_id: string | null) {
  return connection.any(sql.type(WaitingRow)`
    SELECT registration_id, invitation_id, account_id FROM organization_invitation_registration
    WHERE account_id IS NOT NULL
      AND (${account_id}::uuid IS NULL OR account_id = ${account_id}::uuid)
    ORDER BY registration_id LIMIT ${limit}`);
}

export async function removeWaiting(
  connection: Connection,
  { registration_id }: Pick<Waiting, 'registration_id'>,
): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    DELETE FROM organization_invitation_registration WHERE registration_id = ${registration_id}`);
}
