import type { RequestFacts } from '../caller/route.ts';
import { readAddress } from '../platform/text/address.ts';
import { admitForm, spendCaptcha } from './captcha/proof.ts';
import type { AccountsParts } from './dependencies.ts';
import type { EmailRequest } from './schema.ts';

export interface RequestedEmail {
  kind: string;
  /** How long delivery is attempted, in hours; default: 24. */
  try_hours?: number;
}

export type RequestEmail = (
  email: RequestedEmail,
  body: EmailRequest,
  request: RequestFacts,
  beforeCommit: () => void,
) => Promise<void>;

/**
 * Creates a form handler that only enqueues the e-mail. The mail worker checks the cooldown and the
 * account's state, so the response is the same for every address.
 */
export function createEmailRequest(parts: AccountsParts): RequestEmail {
  const { database, mail } = parts;
  return async function requestEmail(email, body, request, beforeCommit) {
    const address = readAddress(body.email);
    const proof = await admitForm(parts, body.captcha_token, request.address);
    await database.transaction(async (transaction) => {
      await spendCaptcha(transaction, proof);
      await mail.enqueue(transaction, { ...email, address });
      beforeCommit();
    });
    mail.wake();
  };
}
