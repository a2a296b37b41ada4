import type { z } from 'zod';
import type { CaptchaProvider } from './schema.ts';

/** Hosts that the widget of each provider loads scripts, frames and pictures from. */
const HOSTS: Readonly<Record<z.infer<typeof CaptchaProvider>, readonly string[]>> = {
  altcha: [],
  turnstile: ['https://challenges.cloudflare.com'],
  hcaptcha: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  recaptcha: ['https://www.google.com/recaptcha/', 'https://www.gstatic.com/recaptcha/'],
};

/** Returns the hosts that a page with the provider's widget must allow. */
export const widgetHosts = (provider: z.infer<typeof CaptchaProvider>): readonly string[] =>
  HOSTS[provider];
