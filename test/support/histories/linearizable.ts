/** One operation of a concurrent history, as the client that ran it saw it. */
export interface Operation<Act, Result> {
  act: Act;
  /** Null if no answer arrived, or an answer that does not tell whether the act happened. */
  result: Result | null;
  /** When the request was sent. */
  from: number;
  /** When the answer arrived; without a result, the act may happen at any later time, or never. */
  to: number;
}

/** A sequential object. */
export interface Model<State, Act, Result> {
  initial: State;
  /** Whether the operation never changes the state; only such an operation may be moved freely. */
  isRead(act: Act, result: Result): boolean;
  /**
   * Returns the state after the act, or null if the object in this state cannot give this result.
   * A null result stands for any result.
   */
  step(state: State, act: Act, result: Result | null): State | null;
}

/**
 * The longest possible order found, and the operations that could come next but are not allowed.
 */
export interface Violation<State, Act, Result> {
  order: readonly Operation<Act, Result>[];
  state: State;
  next: readonly Operation<Act, Result>[];
}

/**
 * Decides whether a history is linearizable (Herlihy and Wing): whether each operation can happen
 * at one instant between its request and its answer, so that the model gives every result. Returns
 * null if it is. Uses the search of Wing and Gong, and tries no combination of operations and state
 * twice (Lowe).
 */
export function findViolation<State, Act, Result>(
  model: Model<State, Act, Result>,
  history: readonly Operation<Act, Result>[],
): Violation<State, Act, Result> | null {
  const order = createOrder(history);
  const visited = new Set<string>();
  let longest = { order: order.operations(), state: model.initial, next: order.next() };

  function canFinish(state: State): boolean {
    const { length } = order;
    // A read that is possible now can go first without loss.
    for (let reads; (reads = order.next().filter((one) => isPossibleRead(state, one))).length > 0;)
      for (const read of reads) order.push(read);
    const next = order.next();
    if (order.length > longest.order.length) longest = { order: order.operations(), state, next };
    // Operations without a result come last: if only such operations remain, none has to happen.
    if (next.every(({ result }) => result === null)) return true;
    const key = `${JSON.stringify(state)} ${order.key()}`;
    if (!visited.has(key)) {
      visited.add(key);
      for (const one of next) {
        const after = model.step(state, one.act, one.result);
        if (after === null) continue;
        order.push(one);
        if (canFinish(after)) return true;
        order.backTo(order.length - 1);
      }
    }
    order.backTo(length);
    return false;
  }

  const isPossibleRead = (state: State, { act, result }: Operation<Act, Result>) =>
    result !== null && model.isRead(act, result) && model.step(state, act, result) !== null;

  return canFinish(model.initial) ? null : longest;
}

/** Creates an order of operations that grows and shrinks at its end. */
function createOrder<Act, Result>(history: readonly Operation<Act, Result>[]) {
  type One = Operation<Act, Result>;
  const byStart = history.toSorted((a, b) => a.from - b.from);
  const ended = byStart.filter(({ result }) => result !== null);
  const open = byStart.filter(({ result }) => result === null);
  const numbers = new Map([...ended, ...open].map((one, index) => [one, index]));
  const stack: One[] = [];
  const done = new Set<One>();

  /** Returns the index of the first ended operation that is not in the order yet. */
  const firstRemaining = () => {
    const index = ended.findIndex((one) => !done.has(one));
    return index < 0 ? ended.length : index;
  };

  return {
    get length() {
      return stack.length;
    },
    operations: (): readonly One[] => [...stack],
    push(one: One) {
      stack.push(one);
      done.add(one);
    },
    backTo(length: number) {
      for (const one of stack.splice(length)) done.delete(one);
    },
    /** Identifies which operations are in the order. */
    key(): string {
      const first = firstRemaining();
      const beyond = stack.map((one) => numbers.get(one)!).filter((number) => number > first);
      return `${first} ${beyond.toSorted((a, b) => a - b).join()}`;
    },
    /** Returns the operations that can be next: they began before any other remaining one ended. */
    next(): readonly One[] {
      const found: One[] = [];
      let firstEnd = Infinity;
      for (let index = firstRemaining(); index < ended.length; index += 1) {
        const one = ended[index]!;
        if (one.from > firstEnd) break;
        if (done.has(one)) continue;
        found.push(one);
        firstEnd = Math.min(firstEnd, one.to);
      }
      return [...found, ...open.filter((one) => !done.has(one) && one.from <= firstEnd)];
    },
  };
}
