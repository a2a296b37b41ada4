import { setTimeout } from 'node:timers';
import { ToolFailure } from '../../catalog/catalog.ts';
import { createBackground } from '../../platform/concurrency/background.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Pins } from '../pins/pins.ts';
import { MAX_TOOL_NAME } from '../tools/schema.ts';
import { hasStorableSource } from '../upstreams/content/problems.ts';
import { contentFamilies, sourceOf } from '../upstreams/content/schema.ts';
import type { AnyUpstreamContent, ContentFamily } from '../upstreams/content/schema.ts';
import type { Offer } from '../upstreams/offers.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { filterContent, filterTools } from './filter.ts';
import type { ContentFilter } from './schema.ts';
import { announce, findFollowed, finishRefresh, saveOffered, takeDue } from './store.ts';
import type { DueRow, FollowedRow } from './store.ts';

export interface RefreshDependencies {
  database: Pick<Database, 'pool' | 'transaction'>;
  upstreams: Pick<Upstreams, 'listCurrent'>;
  pins: Pick<Pins, 'rowsOf'> & { content: Pick<Pins['content'], 'rowsOf'> };
  log: Pick<Log, 'warn'>;
}

/** Upstreams that one gateway lists at a time: each may take ten seconds. */
const AT_A_TIME = 4;

export type Refresh = ReturnType<typeof createRefresh>;

/**
 * Lists what followed upstreams offer once an hour, and soon after an upstream announced a change,
 * whichever gateway is first. A failure changes nothing but what people see of it.
 */
export function createRefresh({ database, upstreams, pins, log }: RefreshDependencies) {
  const { pool } = database;
  const stopping = new AbortController();
  const save = createSave({ database, pins });

  async function list(
    { upstream_id, space_id }: DueRow,
    { content_filters }: FollowedRow,
  ): Promise<Offer | string> {
    const families = contentFamilies.filter((family) => content_filters[family] !== undefined);
    try {
      return await upstreams.listCurrent({ space_id, id: upstream_id }, families);
    } catch (error) {
      if (error instanceof ToolFailure || isRefusal(error)) return error.message;
      throw error;
    }
  }

  async function refreshOne(due: DueRow): Promise<void> {
    const { upstream_id } = due;
    const followed = await findFollowed(pool, upstream_id);
    if (followed === null) return;
    const listed = await list(due, followed);
    if (typeof listed !== 'string') await save(due, followed, listed);
    await finishRefresh(pool, upstream_id, typeof listed === 'string' ? listed : null);
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
    /** Called when an upstream announced that a list of it changed. */
    announced: (upstream_id: string): void => void announced(upstream_id).catch(logFailure),
    async stop() {
      stopping.abort();
      await background.stop();
    },
  };
}

/** Creates the function that saves what is not added yet. */
function createSave({ database, pins }: Pick<RefreshDependencies, 'database' | 'pins'>) {
  const { pool } = database;
  return async function save(
    { upstream_id, space_id }: DueRow,
    followed: FollowedRow,
    offer: Offer,
  ): Promise<void> {
    const added = new Set((await pins.rowsOf(pool, upstream_id)).map(({ tool }) => tool));
    const meant = await filterTools(offer.tool, followed.filter, space_id);
    const tools = meant.filter(
      // One with a longer name could neither be saved nor be added.
      ({ name }) => name.length <= MAX_TOOL_NAME && !added.has(name),
    );
    const addedContent = await pins.content.rowsOf(pool, upstream_id);
    const selected = (family: ContentFamily) =>
      newContent(
        offer[family],
        { filter: followed.content_filters[family], space_id },
        addedContent.filter((row) => row.family === family),
      );
    const [prompt, resource] = [await selected('prompt'), await selected('resource')];
    await database.transaction((transaction) =>
      saveOffered(transaction, upstream_id, { tools, prompt, resource }),
    );
  };
}

/** Returns what a filter selects and is not added; without a filter, nothing. */
async function newContent(
  listed: readonly AnyUpstreamContent[],
  { filter, space_id }: { filter: ContentFilter | undefined; space_id: string },
  added: readonly { source: string }[],
): Promise<AnyUpstreamContent[]> {
  if (filter === undefined) return [];
  const known = new Set(added.map(({ source }) => source));
  const meant = await filterContent(listed, filter, space_id);
  return meant.filter((found) => hasStorableSource(found) && !known.has(sourceOf(found)));
}
