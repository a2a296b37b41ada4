import { languageAtSignUp } from '../mail/languages.ts';
import type { Language } from '../mail/languages.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Problem } from '../platform/refusal.ts';
import { normalizeAddress } from './address.ts';
import type { PasswordFault } from './passwords.ts';
import type { Registration } from './schema.ts';

/** A registration whose every field has its stored form. */
export interface Applicant {
  email: string;
  first_name: string | null;
  last_name: string | null;
  locale: Language;
}

const LONGEST_NAME = 100;
// Control, format (zero width, bidi), surrogate and private use: nothing a name needs.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/u;

/** Reads a registration or throws 400 with every problem found; touches nothing. */
export function readRegistration(
  body: Registration,
  judge: (password: string, personal: readonly string[]) => PasswordFault | null,
): Applicant {
  const problems: Problem[] = [];
  const fault = (code: string, field: string, message: string) =>
    problems.push({ code, message, detail: { pointer: `/${field}` } });
  const email = normalizeAddress(body.email);
  if (email === null) fault('invalid_email', 'email', 'This is not an e-mail address.');
  const locale = languageAtSignUp(body.locale);
  if (locale === null)
    fault('invalid_locale', 'locale', 'A two-letter language code is needed, such as "en".');
  for (const field of ['first_name', 'last_name'] as const)
    if (!isName(body[field] ?? ''))
      fault('invalid_name', field, 'At most 100 characters, without control characters.');
  const names = [body.first_name ?? '', body.last_name ?? ''].map((name) => name.slice(0, 100));
  const weak = judge(body.password, [(email ?? '').slice(0, 254), ...names, names.join(' ')]);
  if (weak) fault('weak_password', 'password', PASSWORD_MESSAGES[weak]);
  if (email === null || locale === null || problems.length > 0) throw refuseAll(problems);
  return {
    email,
    locale,
    first_name: readName(body.first_name),
    last_name: readName(body.last_name),
  };
}

const PASSWORD_MESSAGES: Readonly<Record<PasswordFault, string>> = {
  short: 'At least 12 characters are needed.',
  long: 'At most 128 characters are possible.',
  guessable: 'This password is easy to guess. Try several unrelated words.',
};

const isName = (name: string) => name.length <= LONGEST_NAME && !UNPRINTABLE.test(name);
const readName = (name: string | undefined) => name?.normalize('NFC').trim() || null;

function refuseAll(problems: Problem[]): Refusal {
  const first = problems[0]!;
  return new Refusal('malformed', first.code, first.message, { detail: first.detail, problems });
}
