import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { toolSecrets } from '../../../src/content/tools/store.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import type { World } from '../../support/worlds/world.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

export const [OLD, NEW, WRONG] = ['old-root-', 'new-root-', 'no-root-'].map((text) =>
  text.repeat(4),
) as [string, string, string];

/** The settings in each step of docs/operations.md, and those with a wrong old key. */
export const accepted = { SECRETS_KEY: OLD, SECRETS_KEY_FALLBACKS: NEW };
export const current = { SECRETS_KEY: NEW, SECRETS_KEY_FALLBACKS: OLD };
export const done = { SECRETS_KEY: NEW };
export const mistaken = { SECRETS_KEY: NEW, SECRETS_KEY_FALLBACKS: WRONG };

export const idOf = (root: string): string => createSecrets(root).keyIds[0];

/** Runs `toolgate rotate-secrets` as an operator would, while gateways are serving. */
export function rotate(world: World, settings: Record<string, string>) {
  const env = { PATH: process.env['PATH'], ...world.env, ...settings };
  let child: ChildProcess | undefined;
  const ended = new Promise<{ code: unknown; lines: string[] }>((resolve) => {
    child = execFile(process.execPath, [CLI, 'rotate-secrets'], { env }, (error, stdout, stderr) =>
      resolve({
        code: error === null ? 0 : (error.code ?? error.signal),
        lines: `${stdout}${stderr}`.trimEnd().split('\n'),
      }),
    );
  });
  return { ended, kill: () => void child!.kill('SIGKILL') };
}

/** Reports whether a statement of the command is waiting for a lock. */
export async function waitsForLock(world: World): Promise<boolean> {
  const rows = await world.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%replacement%'`,
  );
  return rows.length > 0;
}

interface SecretRow {
  space_id: string;
  item_id: string;
  origin: string;
  name: string;
  sealed: Buffer;
}

/** Reads the stored secrets of a tool by name, decrypted with the old or the new key. */
export async function secretsOf(world: World, item_id: string) {
  const rows = await world.query<SecretRow>(
    'SELECT * FROM tool_secret WHERE item_id = $1 ORDER BY name',
    [item_id],
  );
  const { label, ownerOf } = toolSecrets;
  const both = createSecrets(NEW, { fallbacks: [OLD] });
  return {
    byName: new Map(rows.map((row) => [row.name, both.decrypt(label, ownerOf(row), row.sealed)])),
    moved: rows.filter(({ sealed }) => sealed.toString('hex').startsWith(idOf(NEW))).length,
  };
}

/** Stores many secrets of a tool, encrypted with the old key. */
export async function addSecrets(
  world: World,
  tool: { space_id: string; item_id: string },
  count: number,
): Promise<Map<string, string>> {
  const { label, ownerOf } = toolSecrets;
  const old = createSecrets(OLD);
  const values = new Map(
    Array.from({ length: count }, (_, index) => {
      const name = `S${String(index).padStart(4, '0')}`;
      return [name, `value ${index}`] as const;
    }),
  );
  const origin = 'https://api.example.com';
  const sealed = [...values].map(([name, value]) =>
    old.encrypt(label, ownerOf({ ...tool, origin, name }), value),
  );
  await world.query(
    `INSERT INTO tool_secret (item_id, space_id, origin, name, sealed)
     SELECT $1, $2, $3, * FROM unnest($4::text[], $5::bytea[])`,
    [tool.item_id, tool.space_id, origin, [...values.keys()], sealed],
  );
  return values;
}
