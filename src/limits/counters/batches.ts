interface PendingRequest<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

// A script blocks all other clients of its server while it runs.
const MAX_BATCH = 64;

/**
 * Returns a function that sends requests in batches: the requests of one group and one turn of the
 * event loop, in order. Each caller gets the result of its own request.
 */
export function createBatches<Question, Answer>(
  groupOf: (question: Question) => string,
  send: (questions: readonly Question[]) => Promise<readonly Answer[]>,
) {
  let waiting: PendingRequest<Question, Answer>[] = [];

  function sendAll(): void {
    const groups = Map.groupBy(waiting, ({ question }) => groupOf(question));
    waiting = [];
    for (const group of groups.values())
      for (let start = 0; start < group.length; start += MAX_BATCH)
        void sendBatch(group.slice(start, start + MAX_BATCH));
  }

  async function sendBatch(batch: readonly PendingRequest<Question, Answer>[]): Promise<void> {
    try {
      const answers = await send(batch.map(({ question }) => question));
      for (const [index, one] of batch.entries()) one.resolve(answers[index]!);
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  return function request(question: Question): Promise<Answer> {
    if (waiting.length === 0) setImmediate(sendAll);
    return new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
    });
  };
}
