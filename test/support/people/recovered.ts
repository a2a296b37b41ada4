import type { Gateway, World } from '../worlds/world.ts';
import { createPerson, goodPassword, signInAs } from './people.ts';
import type { SignedUp } from './people.ts';

/** Sets a password with the link of a reset e-mail, and signs in with it. */
export async function recover(
  { mailbox }: Pick<World, 'mailbox'>,
  { url }: Pick<Gateway, 'url'>,
  email: string,
): Promise<SignedUp> {
  const person = createPerson(url);
  const captcha_token = await person.captcha();
  await person.ask({ path: '/api/auth/password/reset', body: { email, captcha_token } });
  let token: string | undefined;
  // Earlier e-mails tell of other changes.
  while (token === undefined)
    token = /\/reset#token=([\w-]+)/.exec((await mailbox.next(email)).text)?.[1];
  const body = { token, password: goodPassword };
  await person.ask({ path: '/api/auth/password/reset/confirm', body });
  return signInAs({ person, email, password: goodPassword });
}
