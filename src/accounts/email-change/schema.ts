import { z } from 'zod';
import { Address, CurrentPassword, LinkToken } from '../schema.ts';

export const EmailChange = z.object({ email: Address, current_password: CurrentPassword });
export type EmailChange = z.infer<typeof EmailChange>;
export const EmailChangeAnswer = z.object({ status: z.literal('confirmation_sent') });

export const EmailLink = z.object({ token: LinkToken });
export const EmailConfirmed = z.object({ status: z.literal('confirmed') });
export const EmailUndone = z.object({ status: z.literal('undone') });
