import { ConsistencyPreference, CredentialsMethod, FgaApiError, OpenFgaClient } from '@openfga/sdk';
import type { AuthorizationModel, ReadResponse } from '@openfga/sdk';
import { unavailable } from '../platform/errors/refusal.ts';
import { createBreaker } from '../platform/concurrency/breaker.ts';
import { createGate } from '../platform/concurrency/gate.ts';
import type { Log } from '../platform/observability/log.ts';
import { within } from '../platform/concurrency/within.ts';
import type { Delta, Tuple } from './tuple.ts';

export interface Question {
  subject: string;
  relation: string;
  object: string;
}

/** Tuples of an object: of one subject, in one relation, or all. */
export type LookUp = Pick<Tuple, 'object'> & Partial<Tuple>;

/** A Write, under a model other than the pinned one when it was made for that one. */
export interface ModelDelta extends Delta {
  model_id?: string;
}

export type WriteOutcome = 'written' | 'refused' | 'invalid' | 'unknown';

/** OpenFGA as this service uses it: one pinned model, batches, own deadlines. */
export interface Engine {
  readonly modelId: string;
  /** One answer per question, in order; throws `unavailable` rather than leave one out. */
  ask(questions: readonly Question[]): Promise<boolean[]>;
  /** One atomic Write. `refused`: a tuple was there already, or was not there to delete. */
  write(delta: ModelDelta): Promise<WriteOutcome>;
  /** Every tuple of an object. */
  read(object: string): Promise<Tuple[]>;
  /** Some tuples of an object, to explain a decision: neither questions nor changes wait for it. */
  lookUp(wanted: LookUp): Promise<Tuple[]>;
  /** Every tuple of the store, a page at a time. */
  readAll(): AsyncGenerator<Tuple[]>;
  /** The pinned model, as the server has it. */
  readModel(): Promise<AuthorizationModel>;
}

export interface EngineOptions {
  apiUrl: string;
  apiToken: string | undefined;
  storeId: string;
  modelId: string;
  /** Of one attempt; a deployment has more patience than a request. */
  deadlineMs?: number;
  log?: Log;
}

const DEADLINE_MS = 500;
const BATCHES = {
  consistency: ConsistencyPreference.HigherConsistency,
  maxBatchSize: 50,
  maxParallelRequests: 4,
};
// All gateways together stay below the server's own pool.
const QUESTIONS = { width: 8, waiting: 1_000, waitMs: 500 };
// Writes, and the reads that order and repair them, must not wait behind the questions they close.
const CHANGES = { width: 4, waiting: 1_000, waitMs: 2_000 };
// Explaining may read much and is never urgent: a revocation must not wait behind it.
const EXPLANATIONS = { width: 2, waiting: 200, waitMs: 2_000 };

export function createEngineClient(options: EngineOptions): OpenFgaClient {
  return new OpenFgaClient({
    // The SDK appends `/stores/…`, and two slashes are no path of the server.
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
  const questions = createGate(QUESTIONS);
  const changes = createGate(CHANGES);
  const explanations = createGate(EXPLANATIONS);
  const breaker = breakerOf(log);

  /** The SDK obeys a Retry-After of up to 30 minutes, so each call has a deadline of its own. */
  async function attempt<T>(run: () => Promise<T>): Promise<T> {
    const turn = breaker.enter();
    if (turn === null) throw unavailable('OpenFGA is away');
    try {
      const answer = await within(run(), 2 * deadlineMs + 200, tooLong);
      turn.succeeded();
      return answer;
    } catch (error) {
      // What it refuses it has heard; only its silence is an outage.
      if (isHeard(error)) turn.succeeded();
      else turn.failed(error);
      throw error;
    }
  }

  async function askBatch(asked: readonly Question[]): Promise<boolean[]> {
    const checks = asked.map((question, index) => ({
      user: question.subject,
      relation: question.relation,
      object: question.object,
      correlationId: `q${index}`,
    }));
    const { result } = await questions(() => attempt(() => client.batchCheck({ checks }, BATCHES)));
    const answers = new Map(result.map((one) => [one.correlationId, one]));
    return checks.map(({ correlationId }) => {
      const answer = answers.get(correlationId);
      // An answer that is missing or failed is never a no: it fails the request.
      if (!answer || answer.error || typeof answer.allowed !== 'boolean')
        throw unavailable('OpenFGA left a question unanswered');
      return answer.allowed;
    });
  }

  const pages = (wanted: Partial<Tuple>, gate = changes) =>
    readPages((token) => gate(() => attempt(() => readPage(client, wanted, token))));

  return {
    modelId: options.modelId,
    async ask(asked) {
      try {
        return await askBatch(asked);
      } catch (error) {
        throw unavailable('OpenFGA did not answer', error);
      }
    },
    async write({ model_id: authorizationModelId = options.modelId, ...delta }) {
      try {
        await changes(() => attempt(() => client.write(given(delta), { authorizationModelId })));
        return 'written';
      } catch (error) {
        return outcomeOf(error);
      }
    },
    read: async (object) => (await Array.fromAsync(pages({ object }))).flat(),
    lookUp: async (wanted) => (await Array.fromAsync(pages(wanted, explanations))).flat(),
    readAll: () => pages({}),
    async readModel() {
      const { authorization_model: model } = await questions(() =>
        attempt(() => client.readAuthorizationModel()),
      );
      if (model === undefined) throw unavailable('OpenFGA does not have the model');
      return model;
    },
  };
}

const breakerOf = (log: Log | undefined) =>
  createBreaker({
    now: () => performance.now(),
    opened: (cause) => log?.error({ err: cause }, 'OpenFGA is away: what is cold is closed'),
    closed: () => log?.warn('OpenFGA is back'),
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
  wanted: Partial<Tuple>,
  token: string,
): Promise<ReadResponse> =>
  client.read(wanted, {
    consistency: ConsistencyPreference.HigherConsistency,
    pageSize: 100,
    ...(token ? { continuationToken: token } : {}),
  });

const tupleOf = ({ user, relation, object }: Tuple): Tuple => ({ user, relation, object });

// The server refuses an empty list.
const given = ({ writes, deletes }: Delta) => ({
  ...(writes.length > 0 ? { writes } : {}),
  ...(deletes.length > 0 ? { deletes } : {}),
});

const isHeard = (error: unknown) =>
  error instanceof FgaApiError && error.statusCode !== undefined && error.statusCode < 500;

function outcomeOf(error: unknown): WriteOutcome {
  if (!(error instanceof FgaApiError) || error.statusCode !== 400) return 'unknown';
  const code = (error as { apiErrorCode?: string }).apiErrorCode;
  return code === 'write_failed_due_to_invalid_input' ? 'refused' : 'invalid';
}

const tooLong = () => unavailable('OpenFGA took too long');
