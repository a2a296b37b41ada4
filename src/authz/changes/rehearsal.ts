import { z } from 'zod';
import type { Principal } from '../../caller/principal.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { isRefusal, unavailable } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Change } from './change.ts';
import type { Engine, LookUp } from '../engine/client.ts';
import { createContext } from '../decisions/context.ts';
import type { Check, CheckedCaller, Results } from '../decisions/decisions.ts';
import { typeOf } from '../decisions/evaluator.ts';
import type { Schema } from '../decisions/evaluator.ts';
import type { Projections } from './projections.ts';
import { createReadProofs } from '../decisions/read-proofs.ts';
import { createSchemaReader } from '../engine/schema-reader.ts';
import { RECORDER } from './touched.ts';
import { withinToken } from '../decisions/token-scopes.ts';
import type { Tuple } from '../tuple.ts';

/** A change or an edit that was requested, but not made. */
export type Requested = Pick<Change<unknown>, 'work'>;

/**
 * Decisions on the rows of a transaction, by the model over the tuples that these rows imply; the
 * same functions as those of `Authz`.
 */
export interface Rehearsed {
  check(
    caller: CheckedCaller,
    relations: readonly string[],
    object?: string,
  ): Promise<ReadonlyMap<string, boolean>>;
  checkEach(caller: CheckedCaller, checks: readonly Check[]): Promise<readonly boolean[]>;
  context: ReturnType<typeof createContext>;
  requireCurrent(): Promise<void>;
  generation(): object;
}

/** Returns what there is to see; after the change, it also gets what there was before it. */
type Observe<Seen> = (
  transaction: Transaction,
  decisions: Rehearsed,
  before: Seen | null,
) => Promise<Seen>;

/**
 * Makes a change in a transaction that is always rolled back; returns what was observed before and
 * after it.
 */
export type Rehearse = <Seen>(
  requested: Requested,
  observe: Observe<Seen>,
) => Promise<{ before: Seen; after: Seen }>;

class Captured extends Error {
  readonly requested: Requested;
  constructor(requested: Requested) {
    super('The change was requested in order to rehearse it.');
    this.requested = requested;
  }
}

async function capture<T>({ work }: Pick<Change<T>, 'work'>): Promise<T> {
  throw new Captured({ work });
}

/** Stands for `authz` in services whose changes are to be rehearsed: nothing is changed. */
export const capturing = { change: capture, edit: capture, editContent: capture };

/**
 * Returns the change that a service requests of `capturing`, after all its checks; null if it
 * requests none, since nothing would change.
 */
export async function requestedBy(run: () => Promise<unknown>): Promise<Requested | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof Captured) return error.requested;
    throw error;
  }
}

/** Returns the problems for which a change is refused with 409 or 422; throws other errors. */
export function problemsOf(error: unknown): Problem[] {
  if (isRefusal(error) && (error.kind === 'conflict' || error.kind === 'unprocessable'))
    return error.problems;
  throw error;
}

export interface RehearsalDependencies {
  database: Pick<Database, 'transaction'>;
  engine: Pick<Engine, 'readModel'>;
  projections: Projections;
}

/** Thrown to roll back. */
class Observed<Seen> extends Error {
  readonly seen: { before: Seen; after: Seen };
  constructor(seen: { before: Seen; after: Seen }) {
    super('The rehearsal is over.');
    this.seen = seen;
  }
}

export function createRehearsal({
  database,
  engine,
  projections,
}: RehearsalDependencies): Rehearse {
  const readSchema = createSchemaReader(engine);

  return async function rehearse<Seen>({ work }: Requested, observe: Observe<Seen>) {
    const known = await readSchema().catch((error: unknown) => {
      throw asRefusal(error) ?? unavailable('OpenFGA request failed', error);
    });
    try {
      return await database.transaction<never>(async (transaction) => {
        await startRehearsal(transaction);
        const at = () => createRehearsed(known, projections, transaction);
        const before = await observe(transaction, at(), null);
        await work(transaction);
        throw new Observed({ before, after: await observe(transaction, at(), before) });
      });
    } catch (error) {
      if (error instanceof Observed) return error.seen;
      throw error;
    }
  };
}

const RecorderRow = z.object({ recorder: z.string() });

/**
 * Lets a transaction touch projected rows without locking scopes, and see one state of all rows.
 * Nothing records what it touches.
 */
async function startRehearsal(transaction: Transaction): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`);
  await transaction.one(sql.type(RecorderRow)`
    SELECT set_config(${RECORDER}, '', true) AS recorder`);
}

/** Creates the decisions on the rows as they are now; they do not follow later changes. */
function createRehearsed(
  schema: Schema,
  projections: Projections,
  transaction: Transaction,
): Rehearsed {
  async function tuplesOf({ object, user, relation }: LookUp): Promise<readonly Tuple[]> {
    if (user !== undefined) return projections.tuplesOf(transaction, object, { subject: user });
    const subjects = schema.get(typeOf(object))?.get(relation ?? '')?.subjects;
    const types = subjects && new Set([...subjects].map((one) => one.split('#')[0]!));
    return projections.tuplesOf(transaction, object, types ? { types } : {});
  }

  const readProofs = createReadProofs(schema, async (wanted, tuples) => {
    for (const one of wanted) tuples.add(await tuplesOf(one));
  });
  const decide = (subject: string, checks: readonly Check[]): Promise<boolean[]> =>
    readProofs(subject, (prove) =>
      checks.map(({ object, relation }) => prove(subject, relation, object).holds),
    );

  const decisions = withinToken({
    async check({ subject, context }: CheckedCaller, relations, object = context) {
      const checks = relations.map((relation) => ({ object, relation }));
      const results = await decide(subject, checks);
      return new Map(relations.map((relation, index) => [relation, results[index]!]));
    },
    checkEach: ({ subject }: CheckedCaller, checks) => decide(subject, checks),
    cached: (): Results => new Map(),
    clear: () => {},
  });
  const checkEach = (caller: Principal, checks: readonly Check[]) =>
    decisions.checkEach(caller, checks);
  return {
    check: (caller, relations, object) => decisions.check(caller, relations, object),
    checkEach: (caller, checks) => decisions.checkEach(caller, checks),
    context: createContext({ cached: async () => new Map(), checkEach }),
    requireCurrent: async () => {},
    generation: () => decisions,
  };
}
