interface Waiting<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

// A script holds up every other client of its server while it runs.
const BATCH = 64;

/**
 * Questions of one key asked in one turn of the event loop are sent together, in their order; each
 * gets its own answer. `sent` is told once all are.
 */
export function createBatches<Question, Answer>(
  send: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  sent: () => void,
) {
  let waiting = new Map<string, Waiting<Question, Answer>[]>();

  function sendAll(): void {
    const all = waiting;
    waiting = new Map();
    for (const asked of all.values())
      for (let at = 0; at < asked.length; at += BATCH) void answer(asked.slice(at, at + BATCH));
    sent();
  }

  async function answer(asked: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await send(asked.map(({ question }) => question));
      for (const [index, one] of asked.entries()) one.resolve(answers[index]!);
    } catch (error) {
      for (const one of asked) one.reject(error);
    }
  }

  return function ask(key: string, question: Question): Promise<Answer> {
    if (waiting.size === 0) setImmediate(sendAll);
    return new Promise((resolve, reject) => {
      const asked = waiting.get(key);
      const one = { question, resolve, reject };
      if (asked) asked.push(one);
      else waiting.set(key, [one]);
    });
  };
}
