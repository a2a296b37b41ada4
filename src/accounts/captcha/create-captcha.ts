import type { AccountsDependencies } from '../dependencies.ts';
import { createAltcha } from './altcha.ts';
import type { Captcha } from './captcha.ts';
import { createHostedCaptcha } from './hosted.ts';

/** Creates the configured captcha. */
export function createCaptcha({
  config,
  secrets,
  outbound,
}: Pick<AccountsDependencies, 'config' | 'secrets' | 'outbound'>): Captcha {
  if (config.CAPTCHA === 'altcha') return createAltcha(secrets.subkeys('captcha'));
  return createHostedCaptcha({
    provider: config.CAPTCHA,
    // The configuration is invalid without these two.
    site_key: config.CAPTCHA_SITE_KEY!,
    secret: config.CAPTCHA_SECRET!,
    verify_url: config.CAPTCHA_VERIFY_URL,
    hostname: new URL(config.DASHBOARD_URL).hostname,
    outbound,
  });
}
