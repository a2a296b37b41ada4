import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { malformedFields } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { languageAtSignUp } from '../../texts/languages.ts';
import type { Language } from '../../texts/languages.ts';
import { normalizeAddress } from '../../platform/text/address.ts';
import { NO_LANGUAGE_CODE } from '../locale.ts';
import { isName, NAME_MESSAGE, readName } from '../names.ts';
import { findLengthProblem } from '../passwords/password-rules.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { Registration } from '../schema.ts';

/** A registration with every field in its stored form. */
export interface Applicant {
  email: string;
  first_name: string | null;
  last_name: string | null;
  locale: Language;
}

/** Reads a registration, or throws 400 with all problems at once. Has no side effects. */
export function readRegistration(
  body: Registration,
  checkLength: Passwords['checkLength'],
): Applicant {
  const problems: Problem[] = [];
  const addProblem = (code: ErrorCode, field: string, message: string) =>
    problems.push({ code, message, detail: { pointer: `/${field}` } });
  const email = normalizeAddress(body.email);
  if (email === null) addProblem('invalid_email', 'email', 'This is not a valid e-mail address.');
  const locale = languageAtSignUp(body.locale);
  if (locale === null) addProblem('invalid_locale', 'locale', NO_LANGUAGE_CODE);
  for (const field of ['first_name', 'last_name'] as const)
    if (!isName(body[field] ?? '')) addProblem('invalid_name', field, NAME_MESSAGE);
  const weak = findLengthProblem(checkLength, body.password);
  if (weak) problems.push(weak);
  if (email === null || locale === null || problems.length > 0) throw malformedFields(problems);
  return {
    email,
    locale,
    first_name: readName(body.first_name),
    last_name: readName(body.last_name),
  };
}
