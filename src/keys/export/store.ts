import { z } from 'zod';
import { iteratePages } from '../../platform/http/pages.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { keyColumns, KeyRow } from '../store.ts';

const ExportedRow = KeyRow.omit({
  ...{ account_id: true, organization_id: true, runs_in: true, created_by: true, expired: true },
}).extend({
  revoked_at: z.string().nullable(),
});

// Page size; the policies of one key can take hundreds of kilobytes.
const EXPORT_PAGE_SIZE = 10;

/** Yields all keys, including revoked ones, newest first. */
export const exportKeys = (db: Queryable, account_id: string, max: number) =>
  iteratePages<z.infer<typeof ExportedRow>>(
    ({ limit, after }) =>
      db.any(sql.type(ExportedRow)`
        SELECT ${keyColumns}, revoked_at FROM api_key
        WHERE account_id = ${account_id}
          AND (${after?.id ?? null}::uuid IS NULL OR id < ${after?.id ?? null}::uuid)
        ORDER BY id DESC LIMIT ${limit}`),
    { rows: EXPORT_PAGE_SIZE, max: max },
  );
