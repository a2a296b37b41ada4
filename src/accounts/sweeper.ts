import type { Audit } from '../audit/audit.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import type { OrganizationRules } from './dependencies.ts';
import { sweepUsedOnce } from '../platform/postgres/used-once.ts';
import { sweepResetLinks } from './passwords/store.ts';
import { sweepEmailChanges } from './email-change/store.ts';
import { sweepPasskeyChallenges } from './passkeys/store.ts';
import { sweepFlows } from './providers/store.ts';
import { sweepRegistrations } from './registration/store.ts';
import { sweepPendingSignIns } from './second-factor/store.ts';
import { sweepSessions } from './sessions/store.ts';
import { sweepTotp } from './totp/store.ts';

const EVERY_MS = 3_600_000;

export interface SweeperDependencies {
  database: Pick<Database, 'pool'>;
  audit: Pick<Audit, 'sweep'>;
  organizations: Pick<OrganizationRules, 'sweep'>;
  log: Pick<Log, 'warn'>;
}

const SWEEPS = [
  sweepUsedOnce,
  sweepRegistrations,
  sweepResetLinks,
  sweepEmailChanges,
  sweepFlows,
  sweepSessions,
  sweepPendingSignIns,
  sweepPasskeyChallenges,
  sweepTotp,
];

/** Runs every sweep in sequence; a failure is logged and does not stop the others. */
export async function sweepAll({
  database,
  audit,
  organizations,
  log,
}: SweeperDependencies): Promise<void> {
  for (const sweep of [...SWEEPS, organizations.sweep, audit.sweep])
    await sweep(database.pool).catch((error: unknown) =>
      log.warn({ err: error }, 'sweep of expired rows failed; next attempt in an hour'),
    );
}

/** Deletes expired rows once an hour; safe to run on every instance. */
export function createSweeper(dependencies: SweeperDependencies) {
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      timer ??= setInterval(() => void sweepAll(dependencies), EVERY_MS).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
