import { z } from 'zod';

export const HostedProvider = z.enum(['turnstile', 'hcaptcha', 'recaptcha']);
export type HostedProvider = z.infer<typeof HostedProvider>;

export const CaptchaProvider = z.enum(['altcha', ...HostedProvider.options]);

/** The format of the ALTCHA widget. */
const AltchaChallenge = z
  .looseObject({
    provider: z.literal('altcha'),
    parameters: z.looseObject({
      algorithm: z.string(),
      nonce: z.string(),
      salt: z.string(),
      cost: z.int().meta({ examples: [1000] }),
      keyLength: z.int().meta({ examples: [32] }),
      keyPrefix: z.string(),
    }),
    signature: z.string(),
  })
  .meta({ id: 'AltchaChallenge' });

const HostedWidget = z
  .object({
    provider: HostedProvider,
    site_key: z.string(),
    action: z
      .string()
      .describe('Action name the widget attaches to its token, if the provider supports actions.'),
  })
  .meta({ id: 'HostedCaptcha' });

export const CaptchaChallenge = z
  .discriminatedUnion('provider', [AltchaChallenge, HostedWidget])
  .meta({ id: 'CaptchaChallenge' });
export type CaptchaChallenge = z.infer<typeof CaptchaChallenge>;
