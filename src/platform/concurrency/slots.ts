/**
 * What is under way: many at a time, each for a moment. In place of a `Set` or `Map` that lives as
 * long as the process: V8 links each table such a collection has outgrown to the next one, so once
 * one of them is in the old generation, whatever passes through later stays with it until a full
 * collection. It made an eighth of the cost of a call.
 */
export class Slots<Value extends object> {
  readonly #values: (Value | null)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#values.length - this.#free.length;
  }

  /** The slot it has until it is removed. */
  add(value: Value): number {
    const slot = this.#free.pop() ?? this.#values.length;
    this.#values[slot] = value;
    return slot;
  }

  /** Only by who added it, and once: the slot is another's afterwards. */
  remove(slot: number): void {
    this.#values[slot] = null;
    this.#free.push(slot);
    // Going through them would else take for ever as long as at the busiest moment.
    if (this.size === 0) this.#values.length = this.#free.length = 0;
  }

  /** Those that are there, in no order; one may be removed meanwhile. */
  forEach(act: (value: Value) => void): void {
    for (const value of this.#values) if (value !== null) act(value);
  }
}
