import { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';

/** Message for a locale that names no language. */
export const NO_LANGUAGE_CODE =
  'Must be a two-letter language code, such as "en", or one with a region, such as "de-CH".';

const LocaleRow = z.object({ locale: z.string() });

/** Returns the language of an account; null if there is none. */
export async function findLocale(db: Queryable, id: string): Promise<string | null> {
  return db.maybeOneFirst(sql.type(LocaleRow)`
    SELECT locale FROM account WHERE id = ${id}`);
}

/** Returns the language of the active account with this address, or null if there is none. */
export async function findLocaleByEmail(db: Queryable, email: string): Promise<string | null> {
  return db.maybeOneFirst(sql.type(LocaleRow)`
    SELECT locale FROM account WHERE email = ${email} AND status = 'active'`);
}
