import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { hashSecret, newToken } from '../../platform/secrets.ts';
import type { AccountsParts } from '../dependencies.ts';
import { requireGoodPassword } from '../passwords/password-rules.ts';
import { readRegistration } from '../registration/registration-rules.ts';
import type { createRegistration } from '../registration/registration.ts';
import { insertLink, insertRegistration } from '../registration/store.ts';
import type { Registration } from '../schema.ts';

export type NewPerson = Omit<Registration, 'captcha_token' | 'invitation_token'>;

export type RegisterVerifiedParts = Pick<AccountsParts, 'database' | 'passwords'> & {
  registration: Pick<ReturnType<typeof createRegistration>, 'verify'>;
};

/** Registers a person and follows the link at once: an operator vouches for the address. */
export async function registerVerified(
  { database, passwords, registration }: RegisterVerifiedParts,
  person: NewPerson,
  request: RequestFacts,
): Promise<void> {
  const applicant = readRegistration(person, passwords.checkLength);
  await requireGoodPassword(passwords.findIssue, person.password, applicant);
  const id = newId();
  const token = newToken();
  const password_hash = await passwords.hash(person.password);
  await database.transaction(async (transaction) => {
    await insertRegistration(transaction, { ...applicant, id, password_hash });
    const link = { hash: hashSecret(token), email: applicant.email, registration_id: id };
    await insertLink(transaction, link);
  });
  await registration.verify(token, request);
}
