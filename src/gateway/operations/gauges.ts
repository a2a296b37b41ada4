import type { Authz } from '../../authz/authz.ts';
import type { DecisionLog } from '../../decision-log/decision-log.ts';
import type { Limits } from '../../limits/limits.ts';
import type { ReadCounter, ReadGauge } from './metrics.ts';

export interface MeasuredParts {
  authz: Pick<Authz, 'backlog' | 'foreignWrites'>;
  limits: Pick<Limits, 'isDegraded' | 'waitingRows'>;
  decisionLog: Pick<DecisionLog, 'waitingRows' | 'dropped'>;
}

/** Returns the metrics whose values are read at each scrape. */
export const readMetricsOf = (parts: MeasuredParts) => ({
  gauges: gaugesOf(parts),
  counters: countersOf(parts),
});

/** Returns gauges of work that waits for another server. */
const gaugesOf = ({ authz, limits, decisionLog }: MeasuredParts): ReadGauge[] => [
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
    name: 'toolgate_limits_degraded',
    help: '1 while Redis is unavailable and each process limits calls on its own',
    read: () => Number(limits.isDegraded()),
  },
  {
    name: 'toolgate_ledger_waiting_rows',
    help: 'Usage rows of calls not yet written to PostgreSQL',
    read: limits.waitingRows,
  },
  {
    name: 'toolgate_decisions_waiting_rows',
    help: 'Decisions on access not yet written to PostgreSQL',
    read: decisionLog.waitingRows,
  },
];

/** Returns counters that other parts keep. */
const countersOf = ({ authz, decisionLog }: MeasuredParts): ReadCounter[] => [
  {
    name: 'toolgate_authz_foreign_writes_total',
    help: 'Changes of tuples in OpenFGA that no gateway made, by the process that found them',
    label: null,
    read: authz.foreignWrites.count,
  },
  {
    name: 'toolgate_decisions_dropped_total',
    help: 'Decisions on access that were not recorded because PostgreSQL did not take them in time',
    label: 'outcome',
    read: decisionLog.dropped,
  },
];
