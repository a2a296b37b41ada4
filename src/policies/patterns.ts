import { LRUCache } from 'lru-cache';
import { Glob } from './glob-automaton.ts';

/** Steps per piece of a long computation, about a millisecond; other requests run between pieces. */
export const PIECE_STEPS = 100_000;

/** A resource, identified by its path. */
interface Named {
  name: string;
}

// Heavier automata are dropped after use and rebuilt when needed; their results stay cached.
const LIGHT_BYTES = 65_536;

/** The patterns of one policy, with the cached first match of each path looked up so far. */
export class Patterns {
  /** Steps so far: machine words of automaton state processed, plus table entries built. */
  readonly meter = { steps: 0 };
  readonly #list: readonly string[];
  readonly #onGrowth: (patterns: Patterns) => void;
  readonly #known = new Map<string, string | null>();
  /** Lists whose paths are all in `#known`. */
  readonly #precomputed = new WeakSet<readonly Named[]>();
  readonly #globs = new Map<string, Glob>();
  #globBytes = 0;
  #bytes: number;
  #pieceFrom = 0;

  /** `onGrowth` is called whenever the weight has increased. */
  constructor(list: readonly string[], onGrowth: (patterns: Patterns) => void = () => {}) {
    this.#list = list;
    this.#onGrowth = onGrowth;
    this.#bytes = list.reduce((sum, pattern) => sum + 100 + 4 * pattern.length, 100);
  }

  /** Approximate memory in bytes. */
  get weight(): number {
    return this.#bytes + this.#globBytes;
  }

  /** Returns the first pattern that matches the path; null if none does. */
  first(path: string): string | null {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const search = this.#find(path);
    for (;;) {
      const { done, value } = search.next();
      if (done === true) return value;
    }
  }

  /** Finds the first match of each path not known yet, in pieces. The list must never change. */
  *precompute(all: readonly Named[]): Generator<void> {
    if (this.#precomputed.has(all)) return;
    for (const { name } of all) if (!this.#known.has(name)) yield* this.#find(name);
    this.#precomputed.add(all);
    if (this.#globBytes <= LIGHT_BYTES) return;
    this.#globs.clear();
    this.#globBytes = 0;
  }

  *#find(path: string): Generator<void, string | null> {
    let found: string | null = null;
    for (const pattern of this.#list) {
      if (this.meter.steps - this.#pieceFrom >= PIECE_STEPS) {
        yield;
        this.#pieceFrom = this.meter.steps;
      }
      if (!this.#globOf(pattern).matches(path, this.meter)) continue;
      found = pattern;
      break;
    }
    if (!this.#known.has(path)) this.#bytes += 64 + 2 * path.length;
    this.#known.set(path, found);
    this.#onGrowth(this);
    return found;
  }

  #globOf(pattern: string): Glob {
    const known = this.#globs.get(pattern);
    if (known !== undefined) return known;
    const glob = new Glob(pattern);
    this.#globs.set(pattern, glob);
    this.#globBytes += glob.weight;
    this.meter.steps += glob.size;
    return glob;
  }
}

const MAX_BYTES = 33_554_432;
const cache = new LRUCache<string, Patterns>({ maxSize: MAX_BYTES });
/** Instances by list object: most lists stay the same object, so the text is not built again. */
const inUse = new WeakMap<readonly string[], WeakRef<Patterns>>();

/** Returns the `Patterns` of a list, with its cached results. The list must never change. */
export function patternsOf(list: readonly string[]): Patterns {
  const known = inUse.get(list)?.deref();
  if (known !== undefined) return known;
  // No pattern contains a line break.
  const text = list.join('\n');
  const store = (patterns: Patterns): void => {
    // The cache updates the size only when the value changes.
    cache.delete(text);
    cache.set(text, patterns, { size: patterns.weight });
  };
  const patterns = cache.get(text) ?? new Patterns(list, store);
  store(patterns);
  inUse.set(list, new WeakRef(patterns));
  return patterns;
}
