import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import type { EncryptedColumn } from '../../../platform/postgres/reencrypt.ts';
import { sweepOlder } from '../../../platform/postgres/sweep.ts';
import { ServerMetadata } from './server-metadata.ts';

export const clientSecrets: EncryptedColumn<'upstream_id' | 'client_id'> = {
  table: 'upstream_oauth',
  column: 'client_secret',
  key: [['upstream_id', 'uuid']],
  bound: ['client_id'],
  ownerOf: ({ upstream_id, client_id }) => `${upstream_id} ${client_id}`,
  label: 'upstream-client',
};

export const upstreamFlows: EncryptedColumn<'id'> = {
  table: 'upstream_oauth_flow',
  column: 'sealed',
  key: [['id', 'uuid']],
  bound: [],
  ownerOf: ({ id }) => id,
  label: 'upstream-flow',
};

const settingsColumns = sql.fragment`connection, scopes, client_id, client_source, client_secret, issuer`;

const SettingsRow = z.object({
  connection: z.enum(['shared', 'each_person']),
  scopes: z.array(z.string()),
  client_id: z.string().nullable(),
  client_source: z.enum(['given', 'registered']).nullable(),
  client_secret: z.instanceof(Buffer).nullable(),
  issuer: z.string().nullable(),
});
export type Settings = z.infer<typeof SettingsRow>;

/** Returns how an upstream is authorized; null if not with OAuth. */
export function findSettings(db: Queryable, upstream_id: string): Promise<Settings | null> {
  return db.maybeOne(sql.type(SettingsRow)`
    SELECT ${settingsColumns} FROM upstream_oauth WHERE upstream_id = ${upstream_id}`);
}

export async function saveSettings(
  transaction: Transaction,
  upstream_id: string,
  { connection, scopes, client_id, client_source, client_secret, issuer }: Settings,
): Promise<void> {
  const secret = client_secret === null ? null : sql.binary(client_secret);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO upstream_oauth
      (upstream_id, connection, scopes, client_id, client_source, client_secret, issuer)
    VALUES (${upstream_id}, ${connection}, ${sql.array(scopes, 'text')}, ${client_id},
      ${client_source}, ${secret}, ${issuer})
    ON CONFLICT (upstream_id) DO UPDATE SET connection = excluded.connection,
      scopes = excluded.scopes, client_id = excluded.client_id,
      client_source = excluded.client_source, client_secret = excluded.client_secret,
      issuer = excluded.issuer`);
}

export async function deleteSettings(transaction: Transaction, upstream_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM upstream_oauth WHERE upstream_id = ${upstream_id}`);
}

/**
 * Records the authorization server that an upstream names first, unless one is approved. Returns the
 * settings as they are then: the approved one with the client there. Null: there are none any more.
 */
export function claimIssuer(
  db: Queryable,
  upstream_id: string,
  issuer: string,
): Promise<Settings | null> {
  return db.maybeOne(sql.type(SettingsRow)`
    UPDATE upstream_oauth SET issuer = coalesce(issuer, ${issuer})
    WHERE upstream_id = ${upstream_id} RETURNING ${settingsColumns}`);
}

/** Saves the client that the gateway registered, unless another one is set. */
export async function saveRegistered(
  db: Queryable,
  upstream_id: string,
  { client_id, sealed, issuer }: { client_id: string; sealed: Buffer | null; issuer: string },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE upstream_oauth SET client_id = ${client_id}, client_source = 'registered',
      client_secret = ${sealed === null ? null : sql.binary(sealed)}
    WHERE upstream_id = ${upstream_id} AND client_id IS NULL AND issuer = ${issuer}`);
}

export interface NewFlow {
  id: string;
  state_hash: Buffer;
  upstream_id: string;
  account_id: string;
  session_id: string;
  url: string;
  resource: string;
  server: ServerMetadata;
  scopes: readonly string[];
  sealed: Buffer;
}

/**
 * Saves a flow, if its authorization server is still the approved one, and the account that it connects
 * still the space's or the person's own; returns whether. It waits for a change of the settings, which
 * then either finds the flow to delete it, or is found here.
 */
export async function insertFlow(
  db: Queryable,
  flow: NewFlow,
  connection: Settings['connection'],
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    INSERT INTO upstream_oauth_flow
      (id, state_hash, upstream_id, account_id, session_id, url, resource, server, scopes, sealed)
    SELECT ${flow.id}::uuid, ${sql.binary(flow.state_hash)}::bytea, upstream_id,
      ${flow.account_id}::uuid, ${flow.session_id}::uuid, ${flow.url}, ${flow.resource},
      ${sql.jsonb({ ...flow.server })}, ${sql.array([...flow.scopes], 'text')},
      ${sql.binary(flow.sealed)}::bytea
    FROM upstream_oauth
    WHERE upstream_id = ${flow.upstream_id} AND issuer = ${flow.server.issuer}
      AND connection = ${connection}
    FOR SHARE`);
  return rowCount === 1;
}

/** Deletes an upstream's unfinished authorizations, which must not be completed under other settings. */
export async function deleteFlows(transaction: Transaction, upstream_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM upstream_oauth_flow WHERE upstream_id = ${upstream_id}`);
}

const FlowRow = z.object({
  id: z.string(),
  url: z.string(),
  resource: z.string(),
  server: ServerMetadata,
  scopes: z.array(z.string()),
  sealed: z.instanceof(Buffer),
});
export type Flow = z.infer<typeof FlowRow>;

/**
 * Consumes the flow of a session, once. The state of another session or upstream consumes nothing,
 * so that nobody can use up another person's.
 */
export function consumeFlow(
  db: Queryable,
  flow: Pick<NewFlow, 'state_hash' | 'upstream_id' | 'account_id' | 'session_id'>,
): Promise<Flow | null> {
  return db.maybeOne(sql.type(FlowRow)`
    DELETE FROM upstream_oauth_flow
    WHERE state_hash = ${sql.binary(flow.state_hash)} AND upstream_id = ${flow.upstream_id}
      AND account_id = ${flow.account_id} AND session_id = ${flow.session_id}
      AND expires_at > now()
    RETURNING id, url, resource, server, scopes, sealed`);
}

export async function sweepFlows(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'upstream_oauth_flow', column: 'expires_at', age: '1 hour' });
}
