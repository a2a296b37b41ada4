import type { RequestFacts } from '../caller/route.ts';
import type { Transaction } from '../platform/database.ts';
import { newId } from '../platform/ids.ts';
import { malformed, unprocessable } from '../platform/refusal.ts';
import { hashSecret } from '../platform/secrets.ts';
import { normalizeAddress } from './address.ts';
import type { Parts } from './dependencies.ts';
import { checkCaptcha, spendCaptcha } from './proof-of-work.ts';
import { readRegistration } from './registration-rules.ts';
import type { Registration, Resend } from './schema.ts';
import { findLink, insertRegistration, insertVerified, settleRegistrations } from './store.ts';

/** From the form to the click: nothing here tells whether an address has an account. */
export function createRegistration(parts: Parts) {
  const { database, mail, passwords, limitForm } = parts;

  /** Does equal work for every address; the mail worker alone looks who has an account. */
  async function register(body: Registration, request: RequestFacts): Promise<void> {
    const applicant = readRegistration(body, passwords.judge);
    await limitForm('register', { address: request.address });
    const proof = await checkCaptcha(parts, body.captcha_token, request.address);
    await mail.requireDelivery();
    const id = newId();
    const password_hash = await passwords.hash(body.password);
    await database.transaction(async (transaction) => {
      await spendCaptcha(transaction, proof);
      await insertRegistration(transaction, { ...applicant, id, password_hash });
      const job = { kind: 'register', address: applicant.email, subject_id: id };
      await mail.enqueue(transaction, job);
    });
    mail.wake();
  }

  /** Saves the wish alone; cooldown and state are the worker's, so the answer is always one. */
  async function resend(body: Resend, request: RequestFacts): Promise<void> {
    const address = normalizeAddress(body.email);
    if (address === null)
      throw malformed('invalid_email', 'This is not an e-mail address.', {
        detail: { pointer: '/email' },
      });
    const proof = await checkCaptcha(parts, body.captcha_token, request.address);
    await mail.requireDelivery();
    await database.transaction(async (transaction) => {
      await spendCaptcha(transaction, proof);
      await mail.enqueue(transaction, { kind: 'resend', address });
    });
    mail.wake();
  }

  /** Makes the account of exactly the registration the link was sent for; again is the same. */
  async function verify(token: string, request: RequestFacts): Promise<void> {
    const hash = hashSecret(token);
    const link = await findLink(database.pool, hash);
    if (link === null) throw tokenInvalid();
    if (link.account_id !== null) return;
    const id = newId();
    try {
      await parts.authz.change({
        actor: { kind: 'user', id, request_id: request.id, address: request.address },
        reason: 'account.verify',
        scope: { kind: 'account', id },
        units: [{ type: 'account', id }],
        basis: null,
        work: (transaction) => activate(transaction, id, hash),
      });
    } catch (error) {
      if (!(error instanceof AlreadyVerified)) throw error;
    }
  }

  async function activate(transaction: Transaction, id: string, hash: Buffer): Promise<void> {
    const unusable = passwords.unusable();
    const account = await insertVerified(transaction, { id, hash, unusable });
    const link = await findLink(transaction, hash);
    if (account === null && link?.account_id) throw new AlreadyVerified();
    if (account === null || link === null) throw tokenInvalid();
    const { email, registration_id } = link;
    await settleRegistrations(transaction, { account_id: id, email, registration_id });
  }

  return { register, resend, verify };
}

/** Ends a transaction that another click of the same link has made needless. */
class AlreadyVerified extends Error {}

const tokenInvalid = () =>
  unprocessable('token_invalid', 'This link is wrong or has expired. Ask for a new one.', {
    detail: { pointer: '/token' },
  });
