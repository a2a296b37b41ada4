import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';

export interface NewFlow {
  id_hash: Buffer;
  provider: string;
  state_hash: Buffer;
  nonce: string;
  verifier: string;
  return_path: string;
  session_id: string | null;
}

export async function insertFlow(db: Queryable, flow: NewFlow): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO sign_in_flow
      (id_hash, provider, state_hash, nonce, verifier, return_path, session_id)
    VALUES (${sql.binary(flow.id_hash)}, ${flow.provider}, ${sql.binary(flow.state_hash)},
      ${flow.nonce}, ${flow.verifier}, ${flow.return_path}, ${flow.session_id})`);
}

const FlowRow = z.object({
  nonce: z.string(),
  verifier: z.string(),
  return_path: z.string(),
  session_id: z.string().nullable(),
  /** Database time in Unix seconds. */
  now: z.number(),
});
export type Flow = z.infer<typeof FlowRow>;

/**
 * Consumes the flow of this browser, once. A wrong state consumes nothing, so that an attacker
 * cannot use up a victim's flow by sending their browser here.
 */
export async function consumeFlow(
  db: Queryable,
  flow: { id_hash: Buffer; provider: string; state_hash: Buffer },
): Promise<Flow | null> {
  return db.maybeOne(sql.type(FlowRow)`
    UPDATE sign_in_flow SET consumed_at = now()
    WHERE id_hash = ${sql.binary(flow.id_hash)} AND state_hash = ${sql.binary(flow.state_hash)}
      AND provider = ${flow.provider} AND consumed_at IS NULL AND expires_at > now()
    RETURNING nonce, verifier, return_path, session_id,
      floor(extract(epoch FROM now()))::bigint AS now`);
}

export async function sweepFlows(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'sign_in_flow', column: 'expires_at', age: '1 hour' });
}
