// Deletes one account and kills itself with SIGKILL at the given step; run only by crash tests.
import { createDeletion } from '../../../src/accounts/deletion/deletion.ts';
import { always } from '../../../src/caller/once.ts';
import type { RequestFacts } from '../../../src/caller/route.ts';
import { createMail } from '../../../src/mail/mail.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import type { Deployment } from '../servers/deployment.ts';
import { createKeyring } from '../people/keyring.ts';

export const deletionSteps = [
  'before the commit',
  'after the commit',
  'before the answer',
] as const;

export interface DeletionScenario {
  deployment: Deployment;
  account: string;
  step: (typeof deletionSteps)[number];
}

const request: RequestFacts = {
  id: 'crash',
  address: '127.0.0.1',
  user_agent: null,
  cookies: {},
  if_match: null,
  accept_language: null,
  from_elsewhere: false,
  once: always,
};

// E-mails are queued but never sent.
const config = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@b.c', PUBLIC_URL: 'http://a' };
const secrets = createSecrets('crash-test-root-'.repeat(3));

async function runScenario({ deployment, account, step }: DeletionScenario): Promise<void> {
  const crashAt = (reached: DeletionScenario['step']) => {
    if (reached === step) process.kill(process.pid, 'SIGKILL');
  };
  const ring = await createKeyring(deployment, { onStep: crashAt });
  const deleteAccount = createDeletion({
    database: ring.database,
    authz: ring.authz,
    mail: createMail({ database: ring.database, secrets, log: createLog('silent'), config }),
    organizations: {
      solelyOwnedOrganizations: async () => [],
      membershipsOf: async () => [],
      forgetAddresses: async () => {},
    },
  });
  const caller = await ring.session(account);
  await ring.database.authPool.query(
    `INSERT INTO account_session (id, account_id, amr, ip, expires_at)
     VALUES ($1, $2, '{}', '127.0.0.1', now() + interval '1 day')`,
    [caller.credential.id, account],
  );
  await deleteAccount(caller, { confirm: caller.email }, { password_hash: null }, request);
  crashAt('before the answer');
}

if (process.env['DELETION_SCENARIO'])
  await runScenario(JSON.parse(process.env['DELETION_SCENARIO']) as DeletionScenario);
