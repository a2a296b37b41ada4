import { z } from 'zod';
import { Address, CurrentPassword } from '../schema.ts';

export const AccountDeletion = z.object({
  confirm: Address.describe(
    'The address of the account as typed by the person; "delete" where it has none.',
  ),
  current_password: CurrentPassword,
});
export type AccountDeletion = z.infer<typeof AccountDeletion>;
