import type { World } from '../../support/worlds/world.ts';

/** Columns that any request may change, without saving anything of what it does. */
const OF_REQUESTS = ['last_used_at', 'last_seen_at'];
/** Tables that gateways write in the background. */
const OF_GATEWAYS = ['gateway_instance', 'authz_deployment'];

/** Returns a digest of the rows of every table, by table. */
export async function storedState(world: Pick<World, 'query'>): Promise<Map<string, string>> {
  const tables = await world.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
       AND c.relname <> ALL ($1) ORDER BY 1`,
    [OF_GATEWAYS],
  );
  const state = new Map<string, string>();
  for (const { name } of tables) {
    const [row] = await world.query<{ digest: string | null }>(
      `SELECT md5(string_agg((to_jsonb(t) - $1::text[])::text, ',' ORDER BY to_jsonb(t)::text))
         AS digest FROM ${name} t`,
      [OF_REQUESTS],
    );
    state.set(name, row!.digest ?? '');
  }
  return state;
}
