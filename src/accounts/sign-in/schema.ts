import { z } from 'zod';
import { Account, Address } from '../schema.ts';
import { SecondFactorResponse } from '../second-factor/schema.ts';

export const SignIn = z
  .object({ email: Address, password: z.string().max(1_024) })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof SignIn>;

export const SessionResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ examples: [900] }),
    user: Account,
  })
  .meta({ id: 'SessionStarted' });
export type SessionResponse = z.infer<typeof SessionResponse>;

export const LoginResponse = z
  .union([SessionResponse, SecondFactorResponse])
  .meta({ id: 'SignInStep' });
