import { ConsistencyPreference, CredentialsMethod, FgaApiError, OpenFgaClient } from '@openfga/sdk';
import type { AuthorizationModel, ReadResponse } from '@openfga/sdk';
import { inBatches } from './batches.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import { createBreaker } from '../platform/concurrency/breaker.ts';
import { createSemaphore } from '../platform/concurrency/semaphore.ts';
import type { Log } from '../platform/observability/log.ts';
import { withTimeout } from '../platform/concurrency/within.ts';
import type { Delta, Tuple } from './tuple.ts';

export interface CheckItem {
  subject: string;
  relation: string;
  object: string;
}

/** Selects the tuples of an object: all, or those of one subject or relation. */
export type LookUp = Pick<Tuple, 'object'> & Partial<Tuple>;

/** A Write, with the model that it was created for; by default, the pinned one. */
export interface ModelDelta extends Delta {
  model_id?: string;
}

export type WriteOutcome = 'written' | 'refused' | 'invalid' | 'unknown';

/**
 * The service's OpenFGA client: pins one model, sends checks in batches, sets its own deadlines.
 */
export interface Engine {
  readonly modelId: string;
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
  /** Reads the pinned model from the server. */
  readModel(): Promise<AuthorizationModel>;
}

export interface EngineOptions {
  apiUrl: string;
  apiToken: string | undefined;
  storeId: string;
  modelId: string;
  /** Timeout per attempt; deployments use a longer one than requests. */
  deadlineMs?: number;
  log?: Log;
}

const DEADLINE_MS = 500;
const CONSISTENCY = ConsistencyPreference.HigherConsistency;
// Small enough that all gateways together stay within the size of the server's connection pool.
const CHECK_LIMITS = { maxConcurrent: 8, maxQueued: 1_000 };
// Writes, and the reads that order and repair them, must not queue behind checks that wait for
// them.
const WRITE_LIMITS = { maxConcurrent: 4, maxQueued: 1_000, waitMs: 2_000 };
// Explanations may need many reads and are never urgent: a revocation must not queue behind them.
const EXPLANATION_LIMITS = { maxConcurrent: 2, maxQueued: 200, waitMs: 2_000 };

export function createEngineClient(options: EngineOptions): OpenFgaClient {
  return new OpenFgaClient({
    // The SDK appends `/stores/…`, and the server does not accept a double slash.
    apiUrl: options.apiUrl.replace(/\/+$/, ''),
    storeId: options.storeId,
    ...(options.modelId ? { authorizationModelId: options.modelId } : {}),
    retryParams: { maxRetry: 1, minWaitInMs: 50 },
    baseOptions: { timeout: options.deadlineMs ?? DEADLINE_MS },
    ...(options.apiToken
      ? { credentials: { method: CredentialsMethod.ApiToken, config: { token: options.apiToken } } }
      : {}),
  });
}

export function createEngine(options: EngineOptions): Engine {
  const client = createEngineClient(options);
  const { deadlineMs = DEADLINE_MS, log } = options;
  const runCheck = createSemaphore({ ...CHECK_LIMITS, waitMs: deadlineMs });
  const runWrite = createSemaphore(WRITE_LIMITS);
  const runExplanation = createSemaphore(EXPLANATION_LIMITS);
  const breaker = createLoggedBreaker(log);

  /** The SDK obeys a Retry-After of up to 30 minutes, so each call has its own deadline. */
  async function attempt<T>(run: () => Promise<T>): Promise<T> {
    const permit = breaker.enter();
    if (permit === null) throw authzUnavailable('OpenFGA unreachable (circuit breaker open)');
    try {
      const answer = await withTimeout(run(), 2 * deadlineMs + 200, timeoutError);
      permit.reportSuccess();
      return answer;
    } catch (error) {
      // A 4xx is a response; only 5xx, timeouts and lost connections are an outage.
      if (isClientError(error)) permit.reportSuccess();
      else permit.reportFailure(error);
      throw error;
    }
  }

  /**
   * Sends one BatchCheck with its own slot and deadline. The SDK's `batchCheck` would give all
   * batches of a decision one of each, and take a result without an answer for a denial.
   */
  async function sendBatch(batch: readonly CheckItem[]): Promise<boolean[]> {
    const checks = batch.map(({ subject: user, relation, object }, index) => ({
      tuple_key: { user, relation, object },
      correlation_id: `q${index}`,
    }));
    const request = { checks, consistency: CONSISTENCY, authorization_model_id: options.modelId };
    const { result = {} } = await runCheck(() =>
      attempt(() => client.api.batchCheck(options.storeId, request)),
    );
    return checks.map(({ correlation_id }) => {
      const answer = result[correlation_id];
      // A missing or failed result is never a denial: the request fails.
      if (!answer || answer.error || typeof answer.allowed !== 'boolean')
        throw authzUnavailable('OpenFGA returned no result for a check');
      return answer.allowed;
    });
  }

  const pages = (selector: Partial<Tuple>, run = runWrite) =>
    readPages((token) => run(() => attempt(() => readPage(client, selector, token))));

  return {
    ...{ modelId: options.modelId, deadlineMs },
    async batchCheck(batch) {
      try {
        return await inBatches(batch, sendBatch);
      } catch (error) {
        throw authzUnavailable('OpenFGA request failed', error);
      }
    },
    async write({ model_id: authorizationModelId = options.modelId, ...delta }) {
      try {
        await runWrite(() =>
          attempt(() => client.write(nonEmpty(delta), { authorizationModelId })),
        );
        return 'written';
      } catch (error) {
        return outcomeOf(error);
      }
    },
    read: async (object) => (await Array.fromAsync(pages({ object }))).flat(),
    lookUp: async (selector) => (await Array.fromAsync(pages(selector, runExplanation))).flat(),
    readAll: () => pages({}),
    async readModel() {
      const { authorization_model: model } = await runCheck(() =>
        attempt(() => client.readAuthorizationModel()),
      );
      if (model === undefined)
        throw authzUnavailable('OpenFGA does not have the authorization model');
      return model;
    },
  };
}

const createLoggedBreaker = (log: Log | undefined) =>
  createBreaker({
    now: () => performance.now(),
    onOpen: (cause) =>
      log?.error({ err: cause }, 'OpenFGA unreachable; uncached decisions are refused with 503'),
    onClose: () => log?.warn('OpenFGA reachable again'),
  });

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

const tupleOf = ({ user, relation, object }: Tuple): Tuple => ({ user, relation, object });

// The server refuses an empty list.
const nonEmpty = ({ writes, deletes }: Delta) => ({
  ...(writes.length > 0 ? { writes } : {}),
  ...(deletes.length > 0 ? { deletes } : {}),
});

const isClientError = (error: unknown) =>
  error instanceof FgaApiError && error.statusCode !== undefined && error.statusCode < 500;

function outcomeOf(error: unknown): WriteOutcome {
  if (!(error instanceof FgaApiError) || error.statusCode !== 400) return 'unknown';
  const code = (error as { apiErrorCode?: string }).apiErrorCode;
  return code === 'write_failed_due_to_invalid_input' ? 'refused' : 'invalid';
}

const authzUnavailable = (reason: string, cause?: unknown) =>
  unavailable(reason, cause, 'The authorization service is unavailable.');
const timeoutError = () => authzUnavailable('OpenFGA request timed out');
