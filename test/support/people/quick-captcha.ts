import type { Challenge } from 'altcha-lib/types';
import { createAltcha } from '../../../src/accounts/captcha/altcha.ts';
import type { Captcha } from '../../../src/accounts/captcha/captcha.ts';
import { solveCaptcha } from '../../../src/cli/solve-captcha.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';

export interface QuickCaptcha {
  captcha: Captcha;
  /** Returns a solved token without requesting a challenge from the gateway. */
  token(): Promise<string>;
}

/** Creates a captcha for thousands of forms: really solved and checked, but in a millisecond. */
export function createQuickCaptcha(env: Record<string, string>): QuickCaptcha {
  const key = createSecrets(env['SECRETS_KEY']!).subkeys('captcha');
  const captcha = createAltcha(key, { algorithm: 'SHA-256', cost: 1, counter: [1, 20] });
  return {
    captcha,
    async token() {
      return solveCaptcha((await captcha.challenge(new Date())) as unknown as Challenge);
    },
  };
}
