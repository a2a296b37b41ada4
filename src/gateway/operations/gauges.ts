import type { Authz } from '../../authz/authz.ts';
import type { Limits } from '../../limits/limits.ts';
import type { ReadGauge } from './metrics.ts';

/** Returns gauges of work that waits for another server, and counters that other parts keep. */
export const gaugesOf = ({
  authz,
  limits,
}: {
  authz: Pick<Authz, 'backlog' | 'foreignWrites'>;
  limits: Pick<Limits, 'isDegraded' | 'waitingRows'>;
}): ReadGauge[] => [
  {
    name: 'toolgate_authz_backlog_seconds',
    help: 'Age of the oldest permission change not yet applied to OpenFGA',
    read: async () => (await authz.backlog()).seconds,
  },
  {
    name: 'toolgate_authz_stuck_scopes',
    help: 'Scopes closed until `toolgate drift --repair` because OpenFGA rejects their next change',
    read: async () => (await authz.backlog()).stuck,
  },
  {
    name: 'toolgate_authz_foreign_writes_total',
    help: 'Changes of tuples in OpenFGA that no gateway made, by the process that found them',
    isCounter: true,
    read: authz.foreignWrites.count,
  },
  {
    name: 'toolgate_limits_degraded',
    help: '1 while Redis is unavailable and each process limits calls on its own',
    read: () => Number(limits.isDegraded()),
  },
  {
    name: 'toolgate_ledger_waiting_rows',
    help: 'Usage rows of calls not yet written to PostgreSQL',
    read: limits.waitingRows,
  },
];
