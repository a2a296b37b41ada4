import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { malformedFields } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import { primarySubtag, supportedLanguages } from '../../texts/languages.ts';
import type { Language } from '../../texts/languages.ts';
import { NO_LANGUAGE_CODE } from '../locale.ts';
import { isName, NAME_MESSAGE, readName } from '../names.ts';
import type { ProfileEdit } from '../schema.ts';

/** The columns an edit sets; omitted fields stay unchanged. */
export interface ProfileChange {
  first_name?: string | null;
  last_name?: string | null;
  locale?: Language;
}

/**
 * Reads an edit, or throws 400 with all problems at once. Unlike at sign-up, an unsupported
 * language is a problem and is not replaced by English.
 */
export function readProfileEdit(edit: ProfileEdit): ProfileChange {
  const problems: Problem[] = [];
  const change: ProfileChange = {};
  for (const field of ['first_name', 'last_name'] as const) {
    const name = edit[field];
    if (name === undefined) continue;
    if (isName(name ?? '')) change[field] = readName(name);
    else problems.push(problemOf('invalid_name', field, NAME_MESSAGE));
  }
  if (edit.locale !== undefined) {
    const code = primarySubtag(edit.locale);
    const language = supportedLanguages.find((supported) => supported === code);
    if (language !== undefined) change.locale = language;
    else if (code === null) problems.push(problemOf('invalid_locale', 'locale', NO_LANGUAGE_CODE));
    else problems.push(problemOf('unsupported_locale', 'locale', UNSUPPORTED));
  }
  if (problems.length > 0) throw malformedFields(problems);
  return change;
}

const UNSUPPORTED = `Must be a supported language: ${supportedLanguages.join(', ')}.`;

const problemOf = (code: ErrorCode, field: string, message: string): Problem => ({
  code,
  message,
  detail: { pointer: `/${field}` },
});
