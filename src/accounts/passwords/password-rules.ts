import { malformedFields } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { PasswordFault, Passwords } from './passwords.ts';

type Judge = Passwords['judge'];
type Measure = Passwords['measure'];

/** Whose password it is: their names and address make it easy to guess. */
export interface Person {
  email: string | null;
  first_name: string | null;
  last_name: string | null;
}

const MESSAGES: Readonly<Record<PasswordFault, string>> = {
  short: 'At least 12 characters are needed.',
  long: 'At most 128 characters are possible.',
  guessable: 'This password is easy to guess. Try several unrelated words.',
};

/** The problem with a new password, or null. */
export async function findPasswordProblem(
  judge: Judge,
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

/** The same of its length alone, which costs nothing to look at. */
export function findLengthProblem(measure: Measure, password: string): Problem | null {
  const fault = measure(password);
  return fault && problemOf(fault);
}

const problemOf = (fault: PasswordFault): Problem => ({
  code: 'weak_password',
  message: MESSAGES[fault],
  detail: { pointer: '/password' },
});

/** Throws 400 for a password of no good length. */
export function requireGoodLength(measure: Measure, password: string): void {
  const problem = findLengthProblem(measure, password);
  if (problem) throw malformedFields([problem]);
}

/** Throws 400 for a password that is no good for this person. */
export async function requireGoodPassword(
  judge: Judge,
  password: string,
  person: Person,
): Promise<void> {
  const problem = await findPasswordProblem(judge, password, person);
  if (problem) throw malformedFields([problem]);
}
