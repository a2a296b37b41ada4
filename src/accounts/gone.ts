import { unauthenticated } from '../platform/refusal.ts';

/** The account or the session ended while its request was under way. */
export const accountGone = () =>
  unauthenticated('invalid_credential', 'The credential is not valid.');
