import { inject } from 'vitest';
import type { Tuple } from '../../src/authz/tuple.ts';
import type { ModelShape } from './evaluator.ts';

export interface Question {
  user: string;
  relation: string;
  object: string;
}

/** A new store on the test server with one model, accessed over plain HTTP. */
export interface ServerStore {
  readonly id: string;
  readonly modelId: string;
  write(tuples: readonly Tuple[]): Promise<void>;
  remove(tuples: readonly Tuple[]): Promise<void>;
  /** Returns the results in the order of the questions; throws if a check fails with an error. */
  ask(questions: readonly Question[]): Promise<boolean[]>;
  check(question: Question): Promise<boolean>;
  listObjects(user: string, relation: string, type: string): Promise<string[]>;
  listUsers(object: string, relation: string, type: string): Promise<string[]>;
  readAll(): Promise<Tuple[]>;
  readModel(): Promise<ModelShape>;
}

interface CheckResult {
  allowed?: boolean;
  error?: { internal_error?: string };
}

const WRITE_LIMIT = 100;
/**
 * The server accepts 50, but a busy machine may not finish that many before the server's deadline.
 */
const BATCH_LIMIT = 20;
const CONSISTENCY = { consistency: 'HIGHER_CONSISTENCY' };

export async function createServerStore(model: ModelShape, name: string): Promise<ServerStore> {
  const { id } = await send<{ id: string }>('/stores', { name: `model ${name}`.slice(0, 64) });
  const path = `/stores/${id}`;
  const { authorization_model_id } = await send<{ authorization_model_id: string }>(
    `${path}/authorization-models`,
    model,
  );
  const pinned = { authorization_model_id };
  const inParts = async (tuples: readonly Tuple[], kind: 'writes' | 'deletes') => {
    for (const part of chunks(tuples, WRITE_LIMIT)) {
      await send(`${path}/write`, { ...pinned, [kind]: { tuple_keys: part } });
    }
  };

  async function checkBatch(questions: readonly Question[], tries = 3): Promise<boolean[]> {
    const checks = questions.map((question, index) => ({
      tuple_key: question,
      correlation_id: String(index),
    }));
    const { result } = await send<{ result: Record<string, CheckResult> }>(`${path}/batch-check`, {
      ...pinned,
      ...CONSISTENCY,
      checks,
    });
    const answers = questions.map((_, index) => result[index] ?? {});
    // A timeout on a busy machine is retried; any other error is thrown.
    const isLate = answers.some(({ error }) => error?.internal_error === 'deadline_exceeded');
    if (isLate && tries > 1) return checkBatch(questions, tries - 1);

    return answers.map(({ allowed, error }, index) => {
      if (allowed !== undefined && error === undefined) return allowed;
      throw new Error(`${JSON.stringify(questions[index])}: ${JSON.stringify(error)}`);
    });
  }

  return {
    id,
    modelId: authorization_model_id,
    write: (tuples) => inParts(tuples, 'writes'),
    remove: (tuples) => inParts(tuples, 'deletes'),
    ask: async (questions) => {
      const answers: boolean[] = [];
      for (const part of chunks(questions, BATCH_LIMIT)) answers.push(...(await checkBatch(part)));
      return answers;
    },
    check: async (question) => {
      const body = { ...pinned, ...CONSISTENCY, tuple_key: question };
      return (await send<{ allowed: boolean }>(`${path}/check`, body)).allowed;
    },
    listObjects: async (user, relation, type) => {
      const body = { ...pinned, ...CONSISTENCY, user, relation, type };
      return (await send<{ objects: string[] }>(`${path}/list-objects`, body)).objects.toSorted();
    },
    listUsers: async (object, relation, type) => {
      const [objectType = '', objectId = ''] = object.split(':');
      const body = {
        ...pinned,
        ...CONSISTENCY,
        object: { type: objectType, id: objectId },
        relation,
        user_filters: [{ type }],
      };
      const { users } = await send<{ users: { object?: { type: string; id: string } }[] }>(
        `${path}/list-users`,
        body,
      );
      return users.map((user) => `${user.object?.type}:${user.object?.id}`).toSorted();
    },
    readAll: async () => {
      const tuples: Tuple[] = [];
      let continuation_token = '';
      do {
        const page = await send<{ tuples: { key: Tuple }[]; continuation_token: string }>(
          `${path}/read`,
          { page_size: 100, continuation_token, ...CONSISTENCY },
        );
        tuples.push(...page.tuples.map(({ key }) => key));
        ({ continuation_token } = page);
      } while (continuation_token !== '');
      return tuples;
    },
    readModel: async () => {
      const address = `${path}/authorization-models/${authorization_model_id}`;
      return (await send<{ authorization_model: ModelShape }>(address)).authorization_model;
    },
  };
}

async function send<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${inject('openfgaApiUrl')}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${inject('openfgaApiToken')}`,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
