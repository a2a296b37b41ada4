import {
  ConsistencyPreference,
  CredentialsMethod,
  FgaApiError,
  OpenFgaClient,
  TupleOperation,
} from '@openfga/sdk';
import type {
  AuthorizationModel,
  BatchCheckRequest,
  BatchCheckResponse,
  ReadResponse,
} from '@openfga/sdk';
import { authzUnavailable, createAttempts, RETRY_MS } from './attempts.ts';
import { inBatches } from './batches.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Interruptions } from './interruptions.ts';
import type { Delta, Tuple } from '../tuple.ts';

export interface CheckItem {
  subject: string;
  relation: string;
  object: string;
}

/** Selects the tuples of an object: all, or those of one subject or relation. */
export type LookUp = Pick<Tuple, 'object'> & Partial<Tuple>;

/** A Write, with the model that it was created for; by default, that of tuples. */
export interface ModelDelta extends Delta {
  model_id?: string;
}

export type WriteOutcome = 'written' | 'refused' | 'invalid' | 'unknown';

/**
 * The service's OpenFGA client: pins one model, sends checks in batches, sets its own deadlines.
 */
export interface Engine {
  readonly storeId: string;
  readonly modelId: string;
  /** The model that Writes are validated against, by default. */
  readonly tupleModelId: string;
  /** Time for one attempt; waits for pending changes are a multiple of it. */
  readonly deadlineMs: number;
  /** Returns one result per check, in order; throws `unavailable` if one is missing. */
  batchCheck(checks: readonly CheckItem[]): Promise<boolean[]>;
  /** Performs one atomic Write. `refused`: a tuple to write exists, or one to delete does not. */
  write(delta: ModelDelta): Promise<WriteOutcome>;
  /** Reads every tuple of an object. */
  read(object: string): Promise<Tuple[]>;
  /** Reads some tuples of an object to explain a decision; checks and changes never wait for it. */
  lookUp(selector: LookUp): Promise<Tuple[]>;
  /** Reads every tuple of the store, a page at a time. */
  readAll(): AsyncGenerator<Tuple[]>;
  /**
   * Reads the next changes of all tuples, in the order of their ids: after a token or, without one, since
   * a time. Returns the token after them; the given one if there are none.
   */
  readChanges(from: ChangesFrom, pageSize: number): Promise<ChangesPage>;
  /** Reads the pinned model from the server. */
  readModel(): Promise<AuthorizationModel>;
  /** Requests that compare the store with the database; they do not queue with other requests. */
  readonly comparison: Pick<Engine, 'batchCheck' | 'read'>;
  readonly interruptions: Interruptions;
  /** Returns whether OpenFGA is known to be unreachable: requests fail at once. */
  isUnreachable(): boolean;
}

export interface ChangesFrom {
  token: string | null;
  since: string;
}

export interface ChangesPage {
  changes: { tuple: Tuple; operation: 'write' | 'delete'; at: string }[];
  token: string | null;
}

export interface EngineOptions {
  apiUrl: string;
  apiToken: string | undefined;
  storeId: string;
  modelId: string;
  /** The whole model if omitted. */
  tupleModelId?: string;
  /** Timeout per attempt; deployments use a longer one than requests. */
  deadlineMs?: number;
  log?: Log;
}

const DEADLINE_MS = 500;
const CONSISTENCY = ConsistencyPreference.HigherConsistency;
// Small enough that all gateways together stay within the size of the server's connection pool.
const CHECK_LIMITS = { maxConcurrent: 8, maxQueued: 1_000, waitMs: 2_000 };
// Writes, and the reads that order and repair them, must not queue behind checks that wait for
// them.
const WRITE_LIMITS = { maxConcurrent: 4, maxQueued: 1_000, waitMs: 2_000 };
// Explanations may need many reads and are never urgent: a revocation must not queue behind them.
const EXPLANATION_LIMITS = { maxConcurrent: 2, maxQueued: 200, waitMs: 2_000 };
// Comparisons may be long, and a request must not queue behind one.
const COMPARISON_LIMITS = { maxConcurrent: 2, maxQueued: 1_000, waitMs: 2_000 };
// One process reads the change log, a page at a time.
const CHANGE_LOG_LIMITS = { maxConcurrent: 1, maxQueued: 10, waitMs: 2_000 };
/** Requests that a process has in flight at most; the operator's guide names the number. */
export const MAX_REQUESTS = [
  CHECK_LIMITS,
  WRITE_LIMITS,
  EXPLANATION_LIMITS,
  COMPARISON_LIMITS,
  CHANGE_LOG_LIMITS,
].reduce((sum, { maxConcurrent }) => sum + maxConcurrent, 0);
// Longer than the service's own timeout, which tells slow requests from lost connections.
const ABORT_MS = 100;

/** Creates the SDK's client, for which the SDK retries a failed request up to `maxRetry` times. */
export function createEngineClient(options: EngineOptions, maxRetry = 1): OpenFgaClient {
  return new OpenFgaClient({
    // The SDK appends `/stores/…`, and the server does not accept a double slash.
    apiUrl: options.apiUrl.replace(/\/+$/, ''),
    storeId: options.storeId,
    ...(options.modelId ? { authorizationModelId: options.modelId } : {}),
    retryParams: { maxRetry, minWaitInMs: RETRY_MS },
    baseOptions: { timeout: options.deadlineMs ?? DEADLINE_MS },
    ...(options.apiToken
      ? { credentials: { method: CredentialsMethod.ApiToken, config: { token: options.apiToken } } }
      : {}),
  });
}

export function createEngine(options: EngineOptions): Engine {
  const { deadlineMs = DEADLINE_MS, log, tupleModelId = options.modelId } = options;
  // The client would retry unnoticed.
  const client = createEngineClient({ ...options, deadlineMs: deadlineMs + ABORT_MS }, 0);
  const runCheck = createSemaphore(CHECK_LIMITS);
  const runWrite = createSemaphore(WRITE_LIMITS);
  const runExplanation = createSemaphore(EXPLANATION_LIMITS);
  const runComparison = createSemaphore(COMPARISON_LIMITS);
  const runChangeLog = createSemaphore(CHANGE_LOG_LIMITS);
  const { attempt, attemptOnce, interruptions, isUnreachable } = createAttempts(deadlineMs, log);
  const createBatchCheck = (run: typeof runCheck) =>
    createChecks(options, (request) =>
      run(() => attempt(() => client.api.batchCheck(options.storeId, request))),
    );
  const pages = (selector: Partial<Tuple>, run = runWrite) =>
    readPages((token) => run(() => attempt(() => readPage(client, selector, token))));

  const createRead = (run: typeof runCheck) => async (object: string) =>
    (await Array.fromAsync(pages({ object }, run))).flat();

  return {
    storeId: options.storeId,
    modelId: options.modelId,
    tupleModelId,
    deadlineMs,
    batchCheck: createBatchCheck(runCheck),
    async write({ model_id: authorizationModelId = tupleModelId, ...delta }) {
      try {
        await runWrite(() =>
          attempt(() => client.write(nonEmpty(delta), { authorizationModelId }), attemptOnce),
        );
        return 'written';
      } catch (error) {
        return outcomeOf(error);
      }
    },
    read: createRead(runWrite),
    comparison: { batchCheck: createBatchCheck(runComparison), read: createRead(runComparison) },
    lookUp: async (selector) => (await Array.fromAsync(pages(selector, runExplanation))).flat(),
    readAll: () => pages({}),
    readChanges: (from, pageSize) =>
      runChangeLog(() => attempt(() => readChangesPage(client, from, pageSize))),
    async readModel() {
      const { authorization_model: model } = await runCheck(() =>
        attempt(() => client.readAuthorizationModel()),
      );
      if (model === undefined)
        throw authzUnavailable('OpenFGA does not have the authorization model');
      return model;
    },
    interruptions,
    isUnreachable,
  };
}

/**
 * Creates the function that sends each BatchCheck with its own slot and deadline. The SDK's
 * `batchCheck` would give all batches of a decision one of each, and take a result without an answer
 * for a denial.
 */
function createChecks(
  { modelId }: EngineOptions,
  send: (request: BatchCheckRequest) => Promise<BatchCheckResponse>,
): Engine['batchCheck'] {
  async function sendBatch(batch: readonly CheckItem[]): Promise<boolean[]> {
    const checks = batch.map(({ subject: user, relation, object }, index) => ({
      tuple_key: { user, relation, object },
      correlation_id: `q${index}`,
    }));
    const request = { checks, consistency: CONSISTENCY, authorization_model_id: modelId };
    const { result = {} } = await send(request);
    return checks.map(({ correlation_id }) => {
      const answer = result[correlation_id];
      // A missing or failed result is never a denial: the request fails.
      if (!answer || answer.error || typeof answer.allowed !== 'boolean')
        throw authzUnavailable('OpenFGA returned no result for a check');
      return answer.allowed;
    });
  }

  return async function batchCheck(batch) {
    try {
      return await inBatches(batch, sendBatch);
    } catch (error) {
      throw authzUnavailable('OpenFGA request failed', error);
    }
  };
}

async function* readPages(read: (token: string) => Promise<ReadResponse>): AsyncGenerator<Tuple[]> {
  for (let token = ''; ;) {
    const page = await read(token);
    yield page.tuples.map(({ key }) => tupleOf(key));
    token = page.continuation_token;
    if (!token) return;
  }
}

const readPage = (
  client: OpenFgaClient,
  selector: Partial<Tuple>,
  token: string,
): Promise<ReadResponse> =>
  client.read(selector, {
    consistency: CONSISTENCY,
    pageSize: 100,
    ...(token ? { continuationToken: token } : {}),
  });

async function readChangesPage(
  client: OpenFgaClient,
  { token, since }: ChangesFrom,
  pageSize: number,
): Promise<ChangesPage> {
  const { changes, continuation_token } = await client.readChanges(
    { type: '', ...(token === null ? { startTime: new Date(since).toISOString() } : {}) },
    { pageSize, ...(token === null ? {} : { continuationToken: token }) },
  );
  return {
    changes: changes.map(({ tuple_key, operation, timestamp }) => ({
      tuple: tupleOf(tuple_key),
      operation: operation === TupleOperation.Delete ? 'delete' : 'write',
      at: timestamp,
    })),
    token: continuation_token || token,
  };
}

const tupleOf = ({ user, relation, object }: Tuple): Tuple => ({ user, relation, object });

// The server refuses an empty list.
const nonEmpty = ({ writes, deletes }: Delta) => ({
  ...(writes.length > 0 ? { writes } : {}),
  ...(deletes.length > 0 ? { deletes } : {}),
});

function outcomeOf(error: unknown): WriteOutcome {
  if (!(error instanceof FgaApiError) || error.statusCode !== 400) return 'unknown';
  const code = (error as { apiErrorCode?: string }).apiErrorCode;
  return code === 'write_failed_due_to_invalid_input' ? 'refused' : 'invalid';
}
