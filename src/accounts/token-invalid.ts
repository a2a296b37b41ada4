import { unprocessable } from '../platform/refusal.ts';

/** One answer for every link that does nothing: wrong, run out, used, or of a time gone by. */
export const tokenInvalid = () =>
  unprocessable('token_invalid', 'This link is wrong or has expired. Ask for a new one.', {
    detail: { pointer: '/token' },
  });
