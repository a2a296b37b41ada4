import process from 'node:process';
import type { Command } from 'commander';
import { createDatabase } from '../platform/postgres/database.ts';
import type { ReencryptionResult } from '../platform/postgres/reencrypt.ts';
import { createSecrets } from '../platform/secrets.ts';
import { rotateSecrets } from '../rotation.ts';
import { loadOperatorConfig } from './operator-config.ts';

export function addRotateSecretsCommand(program: Command): void {
  program
    .command('rotate-secrets')
    .description('Re-encrypt all stored secrets with SECRETS_KEY; exit 1 if some remain')
    .action(run);
}

async function run(): Promise<void> {
  const { DATABASE_URL: url, SECRETS_KEY, SECRETS_KEY_FALLBACKS } = loadOperatorConfig();
  const secrets = createSecrets(SECRETS_KEY, { fallbacks: SECRETS_KEY_FALLBACKS });
  const [current, ...accepted] = secrets.keyIds;
  const database = await createDatabase({ url, onIdleError: () => {} });
  let remaining = 0;
  try {
    for await (const column of rotateSecrets(database, secrets)) {
      const rows = [...column.remaining.values()].reduce((sum, count) => sum + count, 0);
      console.log(`${column.name}: ${column.changed} re-encrypted, ${rows} remain.`);
      for (const line of describeRemaining(column, new Set(accepted))) console.log(line);
      remaining += rows;
    }
  } finally {
    await database.close();
  }
  if (remaining > 0) process.exitCode = 1;
  console.log(
    remaining === 0
      ? `Everything stored is encrypted with SECRETS_KEY (key ${current}).`
      : 'Add the keys that are missing to SECRETS_KEY_FALLBACKS and run this again.',
  );
}

const describeRemaining = (
  { remaining }: ReencryptionResult,
  accepted: ReadonlySet<string>,
): string[] =>
  [...remaining].map(([id, count]) => {
    const reason = accepted.has(id)
      ? 'written or damaged in the meantime: run this again'
      : 'which is not in SECRETS_KEY_FALLBACKS';
    return `  ${count} of key ${id}, ${reason}`;
  });
