import process from 'node:process';
import type { Command } from 'commander';
import { createDatabase } from '../platform/postgres/database.ts';
import type { Reencrypted } from '../platform/postgres/reencrypt.ts';
import { createSecrets } from '../platform/secrets.ts';
import { rotateSecrets } from '../rotation.ts';
import { loadOperatorConfig } from './operator-config.ts';

export function addRotateSecretsCommand(program: Command): void {
  program
    .command('rotate-secrets')
    .description('Re-encrypt what is stored with SECRETS_KEY; exit 1 if something remains')
    .action(run);
}

async function run(): Promise<void> {
  const { DATABASE_URL: url, SECRETS_KEY, SECRETS_KEY_FALLBACKS } = loadOperatorConfig();
  const secrets = createSecrets(SECRETS_KEY, { fallbacks: SECRETS_KEY_FALLBACKS });
  const [current, ...accepted] = secrets.keyIds;
  const database = await createDatabase({ url, onIdleError: () => {} });
  let remain = 0;
  try {
    for await (const column of rotateSecrets(database, secrets)) {
      const rows = [...column.left.values()].reduce((sum, count) => sum + count, 0);
      console.log(`${column.name}: ${column.changed} re-encrypted, ${rows} remain.`);
      for (const line of describeRemaining(column, new Set(accepted))) console.log(line);
      remain += rows;
    }
  } finally {
    await database.close();
  }
  if (remain > 0) process.exitCode = 1;
  console.log(
    remain === 0
      ? `Everything stored is encrypted with SECRETS_KEY (key ${current}).`
      : 'Add the keys that are missing to SECRETS_KEY_FALLBACKS and run this again.',
  );
}

const describeRemaining = ({ left }: Reencrypted, accepted: ReadonlySet<string>): string[] =>
  [...left].map(([id, count]) => {
    const why = accepted.has(id)
      ? 'written or damaged meanwhile: run this again'
      : 'which is not in SECRETS_KEY_FALLBACKS';
    return `  ${count} of key ${id}, ${why}`;
  });
