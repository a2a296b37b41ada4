import { z } from 'zod';
import { CurrentPassword, LinkToken } from '../schema.ts';

const NewPassword = z.string().describe('12 to 128 characters, not guessable.');

export const PasswordReset = z.object({ token: LinkToken, password: NewPassword });
export type PasswordReset = z.infer<typeof PasswordReset>;
export const PasswordResetAnswer = z.object({ status: z.literal('password_set') });

export const PasswordChange = z.object({
  current_password: CurrentPassword,
  password: NewPassword,
});
export type PasswordChange = z.infer<typeof PasswordChange>;
