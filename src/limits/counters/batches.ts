interface Waiting<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

// A script blocks all other clients of its server while it runs.
const MAX_BATCH = 64;

/**
 * Returns a function that sends the questions of one group and one turn of the event loop together,
 * in order; each gets its own answer.
 */
export function createBatches<Question, Answer>(
  groupOf: (question: Question) => string,
  send: (questions: readonly Question[]) => Promise<readonly Answer[]>,
) {
  let waiting: Waiting<Question, Answer>[] = [];

  function sendAll(): void {
    const groups = Map.groupBy(waiting, ({ question }) => groupOf(question));
    waiting = [];
    for (const group of groups.values())
      for (let at = 0; at < group.length; at += MAX_BATCH)
        void answer(group.slice(at, at + MAX_BATCH));
  }

  async function answer(batch: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await send(batch.map(({ question }) => question));
      for (const [index, one] of batch.entries()) one.resolve(answers[index]!);
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  return function ask(question: Question): Promise<Answer> {
    if (waiting.length === 0) setImmediate(sendAll);
    return new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
    });
  };
}
