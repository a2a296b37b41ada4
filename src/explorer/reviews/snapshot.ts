import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Progress } from '../../caller/progress.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Begin } from '../dependencies.ts';
import { eachOf } from '../each-of.ts';
import type { Look } from '../look.ts';
import { subjectOf } from '../subjects/record.ts';
import type { SubjectRow } from '../subjects/store.ts';
import { createClasses, createDecisions } from './classes.ts';
import type { Classes, Counts, Reached } from './classes.ts';
import { flagsOf } from './flags.ts';
import { movedBetween, readStates, readSubjects } from './revisions.ts';
import type { ScopeStates } from './revisions.ts';
import type { Flag, ReviewEntry } from './schema.ts';

/** A subject and what it had when the snapshot was taken. */
export interface Snapped {
  row: SubjectRow;
  teams: ReviewEntry['subject']['teams'];
  held: Pick<ReviewEntry, 'permissions' | 'team_permissions' | 'capabilities'>;
  items: Reached['items'];
  reach: Counts;
  flags: readonly Flag[];
}

export interface Snapshot {
  entries: readonly Snapped[];
  model_id: string;
}

interface SnapshotDependencies {
  database: Pick<Database, 'pool'>;
  begin: Begin;
}

// What has changed is decided again, which takes less each time.
const MAX_LOOKS = 6;
const USABLE_AT_ONCE = 500;

/**
 * Creates the function that returns what all subjects of an organization have, at one time: the scopes
 * and rows are read again afterwards, and what they decide is decided again if they have moved.
 */
export function createSnapshots({ database: { pool }, begin }: SnapshotDependencies) {
  return async function takeSnapshot(
    organization_id: string,
    progress: Pick<Progress, 'report' | 'signal'>,
  ): Promise<Snapshot> {
    const classes = createClasses();
    let states = await readStates(pool, organization_id);
    for (let looks = 1; ; looks += 1) {
      const look = await begin(organization_id);
      const { entries, ...read } = await lookAtAll(look, { classes, states, progress });
      states = await readStates(pool, organization_id);
      const next = await readSubjects(pool, organization_id, states);
      const moved = movedBetween(read.reading, next);
      const isSame = !moved.authority && moved.subjects.size === 0 && read.isComplete;
      // Items are edited all the time: then they are those of one time during the last look.
      if (isSame && (!moved.content || looks === MAX_LOOKS))
        return { entries, model_id: look.model_id };
      if (looks === MAX_LOOKS) throw unavailable('the organization changed too often');
      classes.forget(moved);
    }
  };

  /** Decides about all subjects; what changes meanwhile is left out, and the result not complete. */
  async function lookAtAll(
    look: Look,
    {
      classes,
      states,
      progress,
    }: {
      classes: Classes;
      states: ScopeStates;
      progress: Pick<Progress, 'report' | 'signal'>;
    },
  ) {
    const reading = await readSubjects(pool, look.organization_id, states);
    const { rows } = reading;
    const usable = await usableOf(look, rows, progress.signal);
    const { permissionsOf, reachOf } = createDecisions(look, classes, states.withItems);
    const entries: Snapped[] = [];
    const now = Date.parse(look.as_of);
    let done = 0;
    let isComplete = true;
    await eachOf(rows.entries(), async ([index, row]) => {
      progress.signal.throwIfAborted();
      try {
        const isUsable = row.kind === 'member' || usable.has(row.id);
        const permissions = isUsable ? await permissionsOf(row) : NOTHING;
        const reached = isUsable ? await reachOf(row) : UNREACHED;
        entries[index] = snappedOf(look, row, { permissions, reached, now });
      } catch (error) {
        if (!(error instanceof ConcurrentUpdate)) throw error;
        isComplete = false;
      }
      progress.report((done += 1), rows.length);
    });
    return { reading, entries, isComplete };
  }
}

const NOTHING = { permissions: [], team_permissions: [] };
const UNREACHED: Reached = {
  capabilities: [],
  items: [],
  own: { tools: 0, prompts: 0, resources: 0, agents: 0 },
};

/** Returns the ids of the credentials that may be used. */
async function usableOf(
  look: Look,
  rows: readonly SubjectRow[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const credentials = rows.filter(({ kind }) => kind !== 'member');
  const usable = new Set<string>();
  for (let at = 0; at < credentials.length; at += USABLE_AT_ONCE) {
    signal.throwIfAborted();
    for (const id of await look.usableOf(credentials.slice(at, at + USABLE_AT_ONCE)))
      usable.add(id);
  }
  return usable;
}

function snappedOf(
  look: Look,
  row: SubjectRow,
  {
    permissions,
    reached: { capabilities, items, own },
    now,
  }: {
    permissions: Pick<ReviewEntry, 'permissions' | 'team_permissions'>;
    reached: Reached;
    now: number;
  },
): Snapped {
  const reach = { ...own };
  for (const [family] of items) reach[family] += 1;
  return {
    ...{ row, items, reach },
    teams: subjectOf(row, look.teams).teams,
    held: { ...permissions, capabilities: [...capabilities] },
    flags: flagsOf(row, permissions, now),
  };
}
