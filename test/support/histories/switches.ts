import { findViolation } from './linearizable.ts';
import type { Model, Operation } from './linearizable.ts';

/** Facts that are true or false, by name: a key is active, a person has a seat, a name is taken. */
export type Switches = Readonly<Record<string, boolean>>;

/** What an operation requires, and what it sets if it is allowed; a read sets nothing. */
export interface SwitchAct {
  what: string;
  requires?: Switches;
  sets?: Switches;
}

/** An operation that was allowed (true), refused (false), or whose outcome is unknown (null). */
export type SwitchOperation = Operation<SwitchAct, boolean>;

const satisfiesAll = (state: Switches, required: Switches = {}) =>
  Object.entries(required).every(([name, value]) => state[name] === value);

/** An act is allowed if and only if everything it requires holds at that instant. */
const modelOf = (initial: Switches): Model<Switches, SwitchAct, boolean> => ({
  initial,
  isRead: ({ sets }, isAllowed) => !isAllowed || sets === undefined,
  step(state, { requires, sets }, isAllowed) {
    if (satisfiesAll(state, requires) !== (isAllowed ?? true)) return null;
    return isAllowed === false || sets === undefined ? state : { ...state, ...sets };
  },
});

const namesOf = ({ act: { requires, sets } }: SwitchOperation) =>
  Object.keys({ ...requires, ...sets });

/**
 * Returns why a history is not allowed, or null. Each partition names the switches of one object,
 * and has the operations that concern only those switches. A history is allowed if the history of
 * every partition is.
 */
export function explainHistory(
  initial: Switches,
  history: readonly SwitchOperation[],
  partitions: readonly (readonly string[])[] = [Object.keys(initial)],
): string | null {
  for (const partition of partitions) {
    const operations = history.filter(
      (one) =>
        // An unanswered read gives no information.
        (one.result !== null || one.act.sets !== undefined) &&
        namesOf(one).every((name) => partition.includes(name)),
    );
    const violation = findViolation(modelOf(initial), operations);
    if (violation === null) continue;
    const { order, state, next } = violation;
    return [
      `No order of the operations on ${partition.join(', ')} is allowed. The longest one:`,
      ...order.slice(-12).map(describe),
      `Then ${JSON.stringify(state)}, and none of these can follow:`,
      ...next.map(describe),
    ].join('\n');
  }
  return null;
}

const outcomes = new Map([
  [true, 'allowed'],
  [false, 'refused'],
  [null, 'unknown'],
]);

const describe = ({ act, result, from, to }: SwitchOperation) =>
  `  ${from.toFixed(1)} to ${to.toFixed(1)}: ${act.what}: ${outcomes.get(result)}`;
