import { z } from 'zod';
import { languageAtSignUp } from '../../texts/languages.ts';
import { normalizeAddress } from '../address.ts';
import { cleanName } from '../names.ts';
import type { Person } from './provider.ts';

const text = z.string().optional().catch(undefined);

/** Of OpenID Connect; a claim of another type counts as none. */
const Claims = z.object({
  // What a database can hold and RFC-conforming providers send (OpenID Connect Core 2).
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  email: text,
  // Nothing but the JSON value true: "true", 1 and a missing claim vouch for nothing.
  email_verified: z.unknown().optional(),
  name: text,
  given_name: text,
  family_name: text,
  locale: text,
});

/** Throws for a subject that names nobody; whatever else is wrong is left out. */
export function readPerson(issuer: string, claims: unknown): Person {
  const said = Claims.parse(claims);
  const names = said.given_name ?? said.family_name ?? null;
  const [first, ...rest] = (said.name ?? '').trim().split(/\s+/);
  return {
    issuer,
    subject: said.sub,
    email: said.email_verified === true ? normalizeAddress(said.email ?? '') : null,
    first_name: cleanName(names === null ? first : said.given_name),
    last_name: cleanName(names === null ? rest.join(' ') : said.family_name),
    locale: said.locale === undefined ? null : languageAtSignUp(said.locale),
  };
}
