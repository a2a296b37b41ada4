import { randomBytes } from 'node:crypto';
import { createApi } from './api.ts';
import type { Api } from './api.ts';
import { readLink } from './link-emails.ts';
import type { AskForLink } from './link-emails.ts';
import { solveCaptcha } from './solve-captcha.ts';

export interface SigningUp {
  /** The gateway's PUBLIC_URL. */
  url: string;
  /** Null: a password is generated. */
  password: string | null;
  /** Asks the user for the link in an e-mail if there is no `/dev/mail.json`. */
  askForLink: AskForLink;
  progress(line: string): void;
}

/** A person who signs up; one with an invitation joins its organization. */
export interface NewPerson {
  email: string;
  first_name?: string;
  invitation_token?: string;
}

export interface SignedUp {
  email: string;
  password: string;
  /** Sends requests in the person's session. */
  api: Api;
}

/** Signs up and signs in as a new user does, through public endpoints only. */
export async function signUp(person: NewPerson, options: SigningUp): Promise<SignedUp> {
  const { email } = person;
  const { url, progress, askForLink } = options;
  const password = options.password ?? randomBytes(18).toString('base64url');
  const api = createApi(url);

  progress('Solving the CAPTCHA …');
  const captcha_token = await solveCaptcha(await api('GET', '/api/auth/captcha'));
  progress(`Signing up as ${email} …`);
  const since = Date.now();
  await api('POST', '/api/auth/register', { ...person, password, locale: 'en', captcha_token });
  progress('Reading the verification e-mail …');
  const verification = { to: email, name: 'verification e-mail', path: '/verify', since } as const;
  const token = await readLink(api, verification, askForLink);
  await api('POST', '/api/auth/verify-email', { token });

  progress('Signing in …');
  const session = await api<{ access_token: string }>('POST', '/api/auth/login', {
    email,
    password,
  });
  return {
    email,
    password,
    api: createApi(url, { authorization: `Bearer ${session.access_token}` }),
  };
}
