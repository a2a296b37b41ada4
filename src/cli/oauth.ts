import type { Command } from 'commander';
import { createSigningKeys } from '../oauth/signing-keys/signing-keys.ts';
import { createDatabase } from '../platform/postgres/database.ts';
import { createSecrets } from '../platform/secrets.ts';
import { loadOperatorConfig } from './operator-config.ts';

export function addOAuthCommand(program: Command): void {
  program
    .command('oauth')
    .description('Operate the OAuth authorization server')
    .command('rotate-signing-key')
    .description('Add a key for access tokens; it signs after a minute, and the others retire')
    .option(
      '--at-once',
      'delete the other keys now, for example because one was stolen: clients must refresh',
    )
    .action(rotate);
}

async function rotate({ atOnce = false }: { atOnce?: boolean }): Promise<void> {
  const { DATABASE_URL: url, SECRETS_KEY, SECRETS_KEY_FALLBACKS } = loadOperatorConfig();
  const secrets = createSecrets(SECRETS_KEY, { fallbacks: SECRETS_KEY_FALLBACKS });
  const database = await createDatabase({ url, onIdleError: () => {} });
  try {
    const keys = createSigningKeys({ database, secrets });
    const { kid } = await keys.rotate({ at_once: atOnce });
    console.log(
      atOnce
        ? `Key ${kid} signs access tokens. Those of other keys are refused within 20 seconds.`
        : `Key ${kid} signs access tokens in a minute. Those of other keys stay valid until they expire.`,
    );
  } finally {
    await database.close();
  }
}
