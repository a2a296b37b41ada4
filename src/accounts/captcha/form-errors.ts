import type { RouteErrors } from '../../caller/route-errors.ts';

/** Errors of a form with a CAPTCHA that sends an e-mail. */
export const formErrors = {
  400: ['invalid_email'],
  422: ['captcha_failed'],
  503: ['captcha_unavailable', 'email_unavailable'],
} as const satisfies RouteErrors;
