import { z } from 'zod';
import { Account, Address } from '../schema.ts';
import { SecondFactorAnswer } from '../second-factor/schema.ts';

export const SignIn = z.object({ email: Address, password: z.string().max(1_024) });
export type SignIn = z.infer<typeof SignIn>;

export const SessionAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.literal(900),
  user: Account,
});
export type SessionAnswer = z.infer<typeof SessionAnswer>;

export const LoginAnswer = z.union([SessionAnswer, SecondFactorAnswer]);
