import type { Authz } from '../authz/authz.ts';
import type { Principal } from '../caller/principal.ts';
import { tooManyRows } from '../caller/table.ts';
import { invalidCursor } from '../platform/http/pages.ts';
import type { Page } from '../platform/http/pages.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Database, Queryable } from '../platform/postgres/database.ts';
import type { EventLogs } from '../platform/observability/event-logs.ts';
import { loggedDecision } from './logged-decision.ts';
import { parsePosition } from './position.ts';
import { createRecorder } from './recorder.ts';
import { MAX_FILE_ENTRIES } from './schema.ts';
import type { DecisionQuery, DecisionRecord } from './schema.ts';
import { countDecisions, listDecisions, listSubjectNames, preparePartitions } from './store.ts';
import type { DecisionFilter, StoredDecision } from './store.ts';

export { decisionAgainstUse } from './refused-use.ts';
export type { Denial, ItemAction, MadeDecision } from './row.ts';

export interface DecisionLogDependencies {
  database: Pick<Database, 'pool'>;
  log: Log;
  authz: Pick<Authz, 'modelId'>;
  config: Pick<Config, 'DECISIONS_SAMPLING' | 'DECISIONS_RETENTION_MONTHS'>;
  eventLogs: Pick<EventLogs, 'isOn' | 'emit'>;
  organizations: {
    teams: {
      /** Returns the teams that the caller is in; null if they may manage every team. */
      teamsInside(caller: Principal, organization_id: string): Promise<ReadonlySet<string> | null>;
    };
  };
}

// Decisions must be visible within five seconds.
const FLUSH_MS = 1_000;
const SWEEP_MS = 3_600_000;
const ROWS_OF_PAGE = 200;

/** Creates the log of decisions on access. */
export function createDecisionLog(dependencies: DecisionLogDependencies) {
  const { log, config, authz, eventLogs } = dependencies;
  const { pool } = dependencies.database;
  const { teamsInside } = dependencies.organizations.teams;
  const { record, flush, waitingRows, dropped } = createRecorder({
    ...{ pool, log, modelId: authz.modelId },
    sampling: config.DECISIONS_SAMPLING,
    onWritten(decisions) {
      if (!eventLogs.isOn) return;
      for (const decision of decisions) eventLogs.emit(loggedDecision(decision));
    },
  });
  const timers = new Set<NodeJS.Timeout>();

  const sweep = () =>
    preparePartitions(pool, config.DECISIONS_RETENTION_MONTHS).catch((error: unknown) =>
      log.warn({ err: error }, 'sweep of old decisions failed; next attempt in an hour'),
    );

  return {
    ...{ record, waitingRows, dropped },
    /** Lists the decisions in one organization, newest first. */
    async list(
      caller: Principal,
      organization_id: string,
      query: DecisionQuery,
    ): Promise<Page<DecisionRecord>> {
      const inside = await teamsInside(caller, organization_id);
      return readPage(pool, organization_id, { ...query, inside });
    },
    /**
     * Yields all decisions that the query selects, in pages. Throws 422 before the first page if
     * there are more than `MAX_FILE_ENTRIES`.
     */
    async *entries(
      caller: Principal,
      organization_id: string,
      query: Omit<DecisionQuery, 'limit' | 'cursor'>,
    ): AsyncGenerator<readonly DecisionRecord[]> {
      const filter = { ...query, inside: await teamsInside(caller, organization_id) };
      const max = MAX_FILE_ENTRIES + 1;
      if ((await countDecisions(pool, organization_id, { ...filter, max })) === max)
        throw tooManyRows(MAX_FILE_ENTRIES);
      for (let cursor: string | undefined; ;) {
        const page = { ...filter, limit: ROWS_OF_PAGE, cursor };
        const { data, next_cursor } = await readPage(pool, organization_id, page);
        yield data;
        if (next_cursor === null) return;
        cursor = next_cursor;
      }
    },
    start(): void {
      if (timers.size > 0) return;
      void sweep();
      timers.add(setInterval(() => void flush(), FLUSH_MS).unref());
      timers.add(setInterval(() => void sweep(), SWEEP_MS).unref());
    },
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      timers.clear();
      // The first may have begun before the last decision.
      await flush();
      await flush();
    },
  };
}
export type DecisionLog = ReturnType<typeof createDecisionLog>;

async function readPage(
  db: Queryable,
  organization_id: string,
  { limit, cursor, ...filter }: DecisionFilter & Pick<DecisionQuery, 'limit' | 'cursor'>,
): Promise<Page<DecisionRecord>> {
  const after = cursor === undefined ? null : parsePosition(cursor);
  if (cursor !== undefined && after === null) throw invalidCursor();
  const range = { after, limit: limit + 1 };
  const rows = await listDecisions(db, organization_id, { ...filter, ...range });
  const page = rows.slice(0, limit);
  const ids = page.map(({ subject_id }) => subject_id);
  const names = await listSubjectNames(db, organization_id, [...new Set(ids)]);
  return {
    data: page.map(({ position: _position, ...row }) => recordOf(row, names)),
    next_cursor: rows.length > limit ? page.at(-1)!.position : null,
  };
}

function recordOf(row: StoredDecision, names: ReadonlyMap<string, string>): DecisionRecord {
  const { subject_kind, subject_id, family, action, team_id, ...fields } = row;
  return {
    ...fields,
    subject: { kind: subject_kind, id: subject_id, name: names.get(subject_id) ?? null },
    action: family === null ? action! : { family, name: action },
    team: team_id,
  };
}
