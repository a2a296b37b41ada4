import { setTimeout } from 'node:timers';
import { ToolFailure } from '../../catalog/catalog.ts';
import { createBackground } from '../../platform/concurrency/background.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Pins } from '../pins/pins.ts';
import { MAX_TOOL_NAME } from '../tools/schema.ts';
import type { UpstreamTool } from '../upstreams/schema.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { filterTools } from './filter.ts';
import { announce, findFollowed, finishRefresh, saveOffered, takeDue } from './store.ts';
import type { DueRow } from './store.ts';

export interface RefreshDependencies {
  database: Pick<Database, 'pool' | 'transaction'>;
  upstreams: Pick<Upstreams, 'listCurrent'>;
  pins: Pick<Pins, 'rowsOf'>;
  log: Pick<Log, 'warn'>;
}

/** Upstreams that one gateway lists at a time: each may take ten seconds. */
const AT_A_TIME = 4;

export type Refresh = ReturnType<typeof createRefresh>;

/**
 * Lists the tools of followed upstreams once an hour, and soon after an upstream announced a change,
 * whichever gateway is first. A failure changes nothing but what people see of it.
 */
export function createRefresh({ database, upstreams, pins, log }: RefreshDependencies) {
  const { pool } = database;
  const stopping = new AbortController();

  async function list({
    upstream_id,
    space_id,
  }: DueRow): Promise<readonly UpstreamTool[] | string> {
    try {
      return await upstreams.listCurrent({ space_id, id: upstream_id });
    } catch (error) {
      if (error instanceof ToolFailure || isRefusal(error)) return error.message;
      throw error;
    }
  }

  async function refreshOne(due: DueRow): Promise<void> {
    const { upstream_id } = due;
    const listed = await list(due);
    if (typeof listed !== 'string') await offer(due, listed);
    await finishRefresh(pool, upstream_id, typeof listed === 'string' ? listed : null);
  }

  /** Saves which tools are not added yet. */
  async function offer(
    { upstream_id, space_id }: DueRow,
    listed: readonly UpstreamTool[],
  ): Promise<void> {
    const followed = await findFollowed(pool, upstream_id);
    if (followed === null) return;
    const added = new Set((await pins.rowsOf(pool, upstream_id)).map(({ tool }) => tool));
    const meant = await filterTools(listed, followed.filter, space_id);
    const offered = meant.filter(
      // One with a longer name could neither be saved nor be added.
      ({ name }) => name.length <= MAX_TOOL_NAME && !added.has(name),
    );
    await database.transaction((transaction) => saveOffered(transaction, upstream_id, offered));
  }

  const logFailure = (error: unknown) =>
    log.warn({ err: error }, 'a refresh of an upstream failed; next attempt in two minutes');

  async function refreshSome(): Promise<void> {
    while (!stopping.signal.aborted) {
      const due = await takeDue(pool);
      if (due === null) return;
      await refreshOne(due).catch(logFailure);
    }
  }

  /** Refreshes all upstreams that are due. */
  const refreshDue = async (): Promise<void> => {
    await Promise.all(Array.from({ length: AT_A_TIME }, refreshSome));
  };

  const background = createBackground(refreshDue, logFailure);

  async function announced(upstream_id: string): Promise<void> {
    const seconds = await announce(pool, upstream_id);
    if (seconds === null) return;
    const runSoon = () => {
      if (!stopping.signal.aborted) background.runSoon();
    };
    setTimeout(runSoon, Math.max(0, seconds) * 1_000).unref();
  }

  return {
    ...background,
    refreshDue,
    /** Called when an upstream announced that its tools changed. */
    announced: (upstream_id: string): void => void announced(upstream_id).catch(logFailure),
    async stop() {
      stopping.abort();
      await background.stop();
    },
  };
}
