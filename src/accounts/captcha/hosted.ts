import { z } from 'zod';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { hashSecret } from '../../platform/secrets.ts';
import type { Captcha, CaptchaResult } from './captcha.ts';
import type { HostedProvider } from './schema.ts';

export interface HostedOptions {
  provider: HostedProvider;
  site_key: string;
  secret: string;
  /** Undefined: the provider's own URL. */
  verify_url: string | undefined;
  /** Host of the page that shows the widget. */
  hostname: string;
  outbound: Pick<Outbound, 'fetch'>;
}

const VERIFY_URLS: Readonly<Record<HostedProvider, string>> = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
};

const DEADLINE_MS = 3_000;
const MAX_BYTES = 65_536;
const ACTION = 'account';
// Only reCAPTCHA v3 sends a score, higher for people than for bots; 0.5 is Google's default.
const MIN_SCORE = 0.5;
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/** Response format of all three providers; each omits the fields it does not have. */
const VerifyResponse = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string()).nullish(),
  hostname: z.string().nullish(),
  action: z.string().nullish(),
  score: z.number().nullish(),
  apk_package_name: z.string().nullish(),
});
type VerifyResponse = z.infer<typeof VerifyResponse>;

/** Creates a captcha verified by Turnstile, hCaptcha or reCAPTCHA, which accept each token once. */
export function createHostedCaptcha(options: HostedOptions): Captcha {
  const { provider, site_key } = options;
  return {
    isHosted: true,
    challenge: async () => ({ provider, site_key, action: ACTION }),
    read: (token) =>
      TOKEN.test(token) ? { hash: hashSecret(`${provider} ${token}`), expires_at: null } : null,
    async verify(token, address) {
      const verified = await requestVerification(options, { response: token, remoteip: address });
      return typeof verified === 'string'
        ? { outcome: 'unavailable', reason: verified }
        : evaluate(options, verified);
    },
  };
}

/** Returns the provider's response, or why there is none. */
async function requestVerification(
  { provider, site_key, secret, verify_url, outbound }: HostedOptions,
  fields: { response: string; remoteip: string },
): Promise<VerifyResponse | string> {
  const sitekey = provider === 'hcaptcha' ? { sitekey: site_key } : {};
  const form = new URLSearchParams({ secret, ...fields, ...sitekey });
  try {
    const { status, body } = await outbound.fetch({
      url: verify_url ?? VERIFY_URLS[provider],
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form.toString(),
      timeoutMs: DEADLINE_MS,
      maxBytes: MAX_BYTES,
    });
    if (status !== 200) return `${provider} responded with HTTP ${status}`;
    return (
      readResponse(Buffer.from(body).toString('utf8')) ?? `${provider} sent an invalid response`
    );
  } catch (error) {
    if (error instanceof OutboundError) return `${provider}: ${error.code}`;
    throw error;
  }
}

function readResponse(text: string): VerifyResponse | null {
  try {
    return VerifyResponse.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function evaluate({ hostname }: HostedOptions, response: VerifyResponse): CaptchaResult {
  const codes = response['error-codes'] ?? [];
  // An error caused by our secret or by the provider does not make the token invalid.
  const serviceError = codes.find((code) => /secret|sitekey|bad-request|internal-error/.test(code));
  if (!response.success && serviceError !== undefined)
    return { outcome: 'unavailable', reason: serviceError };
  const isOurs =
    isAbsentOr(response.hostname, hostname) &&
    isAbsentOr(response.action, ACTION) &&
    !response.apk_package_name &&
    (response.score ?? 1) >= MIN_SCORE;
  return { outcome: response.success && isOurs ? 'ok' : 'invalid' };
}

// hCaptcha sends `not-provided` under high load.
const isAbsentOr = (value: string | null | undefined, expected: string) =>
  !value || value === 'not-provided' || value === expected;
