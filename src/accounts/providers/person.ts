import { z } from 'zod';
import { languageAtSignUp } from '../../texts/languages.ts';
import { normalizeAddress } from '../../platform/text/address.ts';
import { cleanName } from '../names.ts';
import type { Person } from './provider.ts';

const text = z.string().optional().catch(undefined);

/** OpenID Connect claims; an optional claim of the wrong type counts as missing. */
const Claims = z.object({
  // At most 255 ASCII characters (OpenID Connect Core 2), without those that PostgreSQL cannot
  // store.
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  email: text,
  // Only the JSON value true counts as verified, not "true" or 1.
  email_verified: z.unknown().optional(),
  name: text,
  given_name: text,
  family_name: text,
  locale: text,
});

/** Reads a person from claims. Throws if `sub` is invalid; other invalid claims are ignored. */
export function readPerson(issuer: string, claims: unknown): Person {
  const parsed = Claims.parse(claims);
  const structuredName = parsed.given_name ?? parsed.family_name ?? null;
  const [first, ...rest] = (parsed.name ?? '').trim().split(/\s+/);
  return {
    issuer,
    subject: parsed.sub,
    email: parsed.email_verified === true ? normalizeAddress(parsed.email ?? '') : null,
    first_name: cleanName(structuredName === null ? first : parsed.given_name),
    last_name: cleanName(structuredName === null ? rest.join(' ') : parsed.family_name),
    locale: parsed.locale === undefined ? null : languageAtSignUp(parsed.locale),
  };
}
