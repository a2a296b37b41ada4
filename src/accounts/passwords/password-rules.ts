import { malformedFields } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { PasswordIssue, Passwords } from './passwords.ts';

type FindIssue = Passwords['findIssue'];
type CheckLength = Passwords['checkLength'];

/** Owner of a password, whose names and address make it easy to guess. */
export interface Person {
  email: string | null;
  first_name: string | null;
  last_name: string | null;
}

const MESSAGES: Readonly<Record<PasswordIssue, string>> = {
  short: 'The password must have at least 12 characters.',
  long: 'The password must have at most 128 characters.',
  guessable: 'This password is easy to guess. Use several unrelated words.',
};

/** Returns the problem with a new password, or null. */
export async function findPasswordProblem(
  findIssue: FindIssue,
  password: string,
  person: Person,
): Promise<Problem | null> {
  const names = [person.first_name ?? '', person.last_name ?? ''];
  const texts = [person.email ?? '', ...names, names.join(' ')];
  const issue = await findIssue(
    password,
    texts.map((text) => text.slice(0, 254)),
  );
  return issue && problemOf(issue);
}

/** Returns the problem with the password's length, or null; cheap. */
export function findLengthProblem(checkLength: CheckLength, password: string): Problem | null {
  const issue = checkLength(password);
  return issue && problemOf(issue);
}

const problemOf = (issue: PasswordIssue): Problem => ({
  code: 'weak_password',
  message: MESSAGES[issue],
  detail: { pointer: '/password' },
});

/** Throws 400 if the password is too short or too long. */
export function requireGoodLength(checkLength: CheckLength, password: string): void {
  const problem = findLengthProblem(checkLength, password);
  if (problem) throw malformedFields([problem]);
}

/** Throws 400 if the password has a bad length or is easy to guess for this person. */
export async function requireGoodPassword(
  findIssue: FindIssue,
  password: string,
  person: Person,
): Promise<void> {
  const problem = await findPasswordProblem(findIssue, password, person);
  if (problem) throw malformedFields([problem]);
}
