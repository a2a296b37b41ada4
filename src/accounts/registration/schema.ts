import { z } from 'zod';
import { Address, CaptchaToken, LinkToken } from '../schema.ts';

export const Registration = z.object({
  email: Address,
  password: z.string().describe('12 to 128 characters, not guessable.'),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  locale: z.string().describe('Two-letter language code, or a tag with a region: de, de-CH.'),
  captcha_token: CaptchaToken,
});
export type Registration = z.infer<typeof Registration>;
export const RegistrationAnswer = z.object({ status: z.literal('verification_sent') });

export const Verification = z.object({ token: LinkToken });
export const VerificationAnswer = z.object({ status: z.literal('verified') });
