import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Deployment } from '../support/servers/deployment-on.ts';
import { createItem } from '../support/worlds/items.ts';
import type { Mailbox } from '../support/people/mailbox.ts';
import { createKey, selectTools, signUp } from '../support/people/people.ts';
import type { SignedUp } from '../support/people/people.ts';

/** Keys for three kinds of load; all can call the same tool. */
export interface Tenants {
  /** One key for each of 1,000 accounts. */
  owners: readonly string[];
  /** 1,000 keys of one account; for limits, these behave like an organization's keys. */
  shared: readonly string[];
  /** The account of the shared keys. */
  sharing: SignedUp;
  /** A single key, and its account in `tenant`. */
  one: string;
  tenant: SignedUp;
}

const COPIES = 1_000;

/**
 * Creates one tenant through the public endpoints and copies its rows and tuples: 1,000
 * registrations would spend minutes on password hashing.
 */
export async function makeTenants(
  mailbox: Mailbox,
  url: string,
  deployment: Deployment,
  openfgaDatabaseUrl: string,
): Promise<Tenants> {
  const createTenant = async () => {
    const tenant = await signUp({ mailbox }, { url });
    await selectTools(tenant, ['noop']);
    await createItem(tenant, 'prompts', greeting);
    await createItem(tenant, 'resources', note);
    const key = await createKey(tenant, { ...allFamilies, name: `key-${randomUUID()}` });
    return { tenant, key };
  };
  const [first, sharing] = [await createTenant(), await createTenant()];
  const copier = await openCopier(deployment, openfgaDatabaseUrl);
  try {
    return {
      owners: await copier.copyTenant(first.tenant, first.key),
      shared: await copier.copyKey(sharing.key),
      sharing: sharing.tenant,
      one: first.key.secret,
      tenant: first.tenant,
    };
  } finally {
    await copier.close();
  }
}

export const allFamilies = { mcp_capabilities: ['tools', 'prompts', 'resources'] };
const greeting = {
  name: 'greeting',
  arguments: [{ name: 'who', required: true }],
  messages: [{ role: 'user', content: 'Greet {{who}}.' }],
};
const note = { path: 'notes/one', mime_type: 'text/plain', text: 'One note.' };

interface Key {
  id: string;
  secret: string;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
// Ids of built-in tools are the same for all tenants.
const isBuiltIn = (id: string) => id.startsWith('00000000-0000-');
const hexHashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');

async function openCopier(deployment: Deployment, openfgaDatabaseUrl: string) {
  const rows = new pg.Client({ connectionString: deployment.databaseUrl });
  const tuples = new pg.Client({ connectionString: openfgaDatabaseUrl });
  await Promise.all([rows.connect(), tuples.connect()]);
  // Disables foreign key checks, so that tables can be filled in any order.
  await rows.query('SET session_replication_role = replica');

  /** Copies every row and tuple that contains one of the ids, with new ids in each copy. */
  async function copyAll(
    ids: readonly string[],
    key: Key,
    renamed: readonly string[],
  ): Promise<string[]> {
    const found = await tablesReferencing(rows, ids);
    const { rows: originals } = await tuples.query<{ row: string }>(
      `SELECT to_jsonb(tuple)::text AS row FROM tuple
       WHERE store = $1 AND concat(object_id, ' ', _user) ~ $2`,
      [deployment.openfga.storeId, ids.join('|')],
    );
    const copies = Array.from({ length: COPIES }, () => copyOf(ids, key, renamed));
    const rewriteAll = (texts: readonly string[]) =>
      copies.flatMap(({ rewrite }) => texts.map((text) => rewrite(text)));
    for (const [table, texts] of found) await insert(rows, table, rewriteAll(texts));
    await insert(tuples, 'tuple', rewriteAll(originals.map(({ row }) => row)).map(withNewUlid));
    return copies.map(({ secret }) => secret);
  }

  return {
    async copyTenant({ account_id, email }: SignedUp, key: Key): Promise<string[]> {
      return copyAll(await relatedIds(rows, account_id), key, [email]);
    },
    async copyKey(key: Key): Promise<string[]> {
      const { rows: names } = await rows.query<{ name: string }>(
        'SELECT name FROM api_key WHERE id = $1',
        [key.id],
      );
      return copyAll([key.id], key, [names[0]!.name]);
    },
    async close(): Promise<void> {
      await vacuum(rows);
      await vacuum(tuples);
      await Promise.all([rows.end(), tuples.end()]);
    },
  };
}

/** Does what autovacuum does minutes later. */
async function vacuum(client: pg.Client): Promise<void> {
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
}

/**
 * Returns the account's id and all ids in rows that refer to it, except those of built-in tools.
 */
async function relatedIds(client: pg.Client, account_id: string): Promise<string[]> {
  const ids = new Set([account_id]);
  for (let before = 0; before < ids.size;) {
    before = ids.size;
    for (const texts of (await tablesReferencing(client, [...ids])).values())
      for (const id of texts.join().match(UUID) ?? []) if (!isBuiltIn(id)) ids.add(id);
  }
  return [...ids];
}

async function tablesReferencing(client: pg.Client, ids: readonly string[]) {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT relispartition`,
  );
  const found = new Map<string, string[]>();
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM "${name}" t WHERE to_jsonb(t)::text ~ $1`,
      [ids.join('|')],
    );
    if (rows.length > 0)
      found.set(
        name,
        rows.map(({ row }) => row),
      );
  }
  return found;
}

function copyOf(ids: readonly string[], key: Key, renamed: readonly string[]) {
  const secret = `sk_bench_${randomUUID()}`;
  const replacements = new Map(ids.map((id) => [id, randomUUID() as string]));
  for (const text of renamed) replacements.set(text, `${randomUUID()}.${text}`);
  replacements.set(hexHashOf(key.secret), hexHashOf(secret));
  const pattern = new RegExp(
    [...replacements.keys()].map((text) => RegExp.escape(text)).join('|'),
    'g',
  );
  return {
    secret,
    rewrite: (text: string) => text.replace(pattern, (old) => replacements.get(old)!),
  };
}

let ulids = 0;
const withNewUlid = (text: string) =>
  JSON.stringify({ ...JSON.parse(text), ulid: `${(ulids += 1)}`.padStart(26, '0') });

/**
 * Inserts rows; a row that conflicts with its original, for example on a token's hash, is skipped.
 */
async function insert(client: pg.Client, table: string, rows: readonly string[]): Promise<void> {
  const { rows: columns } = await client.query<{ list: string }>(
    `SELECT string_agg(quote_ident(attname), ', ') AS list FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [`"${table}"`],
  );
  const { list } = columns[0]!;
  await client.query(
    `INSERT INTO "${table}" (${list})
     SELECT ${list} FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)
     ON CONFLICT DO NOTHING`,
    [`[${rows.join(',')}]`],
  );
}
