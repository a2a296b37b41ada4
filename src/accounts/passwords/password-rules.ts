import { malformedFields } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { PasswordFault, Passwords } from './passwords.ts';

type CheckStrength = Passwords['judge'];
type Measure = Passwords['measure'];

/** Owner of a password, whose names and address make it easy to guess. */
export interface Person {
  email: string | null;
  first_name: string | null;
  last_name: string | null;
}

const MESSAGES: Readonly<Record<PasswordFault, string>> = {
  short: 'The password must have at least 12 characters.',
  long: 'The password must have at most 128 characters.',
  guessable: 'This password is easy to guess. Use several unrelated words.',
};

/** Returns the problem with a new password, or null. */
export async function findPasswordProblem(
  judge: CheckStrength,
  password: string,
  person: Person,
): Promise<Problem | null> {
  const names = [person.first_name ?? '', person.last_name ?? ''];
  const texts = [person.email ?? '', ...names, names.join(' ')];
  const fault = await judge(
    password,
    texts.map((text) => text.slice(0, 254)),
  );
  return fault && problemOf(fault);
}

/** Returns the problem with the password's length, or null; cheap. */
export function findLengthProblem(measure: Measure, password: string): Problem | null {
  const fault = measure(password);
  return fault && problemOf(fault);
}

const problemOf = (fault: PasswordFault): Problem => ({
  code: 'weak_password',
  message: MESSAGES[fault],
  detail: { pointer: '/password' },
});

/** Throws 400 if the password is too short or too long. */
export function requireGoodLength(measure: Measure, password: string): void {
  const problem = findLengthProblem(measure, password);
  if (problem) throw malformedFields([problem]);
}

/** Throws 400 if the password has a bad length or is easy to guess for this person. */
export async function requireGoodPassword(
  judge: CheckStrength,
  password: string,
  person: Person,
): Promise<void> {
  const problem = await findPasswordProblem(judge, password, person);
  if (problem) throw malformedFields([problem]);
}
