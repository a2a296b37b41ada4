import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

const DemoRow = z.object({
  account_ids: z.array(z.string()).nullable(),
  organization_id: z.string().nullable(),
});

/** The ids of what the demo created; null until all of it is loaded. */
export type DemoRow = z.infer<typeof DemoRow>;

/** The record of the demo, of which a deployment has at most one. */
export interface DemoRecord {
  /** Returns false if there is a demo, or one is being loaded. */
  begin(): Promise<boolean>;
  complete(demo: { account_ids: readonly string[]; organization_id: string }): Promise<void>;
  find(): Promise<DemoRow | null>;
  drop(): Promise<void>;
}

export const createDemoRecord = (db: Queryable): DemoRecord => ({
  async begin() {
    const begun = await db.maybeOne(sql.type(z.object({ singleton: z.boolean() }))`
      INSERT INTO demo DEFAULT VALUES ON CONFLICT DO NOTHING RETURNING singleton`);
    return begun !== null;
  },
  async complete({ account_ids, organization_id }) {
    await db.query(sql.typeAlias('void')`
      UPDATE demo SET account_ids = ${sql.array(account_ids, 'uuid')},
        organization_id = ${organization_id}`);
  },
  find: () => db.maybeOne(sql.type(DemoRow)`SELECT account_ids, organization_id FROM demo`),
  async drop() {
    await db.query(sql.typeAlias('void')`DELETE FROM demo`);
  },
});
