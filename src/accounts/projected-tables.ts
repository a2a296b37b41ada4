import type { ProjectedTables } from '../authz/authz.ts';
import { sql } from '../platform/postgres/database.ts';

export const accountTables: ProjectedTables = {
  columns: { account: sql.fragment`id uuid` },
  slices: [
    {
      table: 'account',
      select: sql.fragment`SELECT 'account:' || id, 'user:' || id FROM touched_account`,
    },
  ],
};
