import { LRUCache } from 'lru-cache';
import { Glob } from './glob-automaton.ts';

/** Between two pieces of a long work others have their turn: about a millisecond. */
export const PIECE_STEPS = 100_000;

/** What a path stands for: a resource, by its path. */
interface Named {
  name: string;
}

// Automata that weigh more are made again when they are needed: what they found is known.
const LIGHT_BYTES = 65_536;

/** The patterns of one policy, and which of them was the first to speak of each path asked about. */
export class Patterns {
  /** What was computed so far: words of states moved, and made. */
  readonly meter = { steps: 0 };
  readonly #list: readonly string[];
  readonly #grown: (patterns: Patterns) => void;
  readonly #known = new Map<string, string | null>();
  /** Lists of which every path is known. */
  readonly #settled = new WeakSet<readonly Named[]>();
  readonly #globs = new Map<string, Glob>();
  #globBytes = 0;
  #bytes: number;
  #pieceFrom = 0;

  /** `grown` is told whenever it weighs more than before. */
  constructor(list: readonly string[], grown: (patterns: Patterns) => void = () => {}) {
    this.#list = list;
    this.#grown = grown;
    this.#bytes = list.reduce((sum, pattern) => sum + 100 + 4 * pattern.length, 100);
  }

  /** Bytes of memory, about. */
  get weight(): number {
    return this.#bytes + this.#globBytes;
  }

  /** The first pattern that speaks of the path; null: none does. */
  first(path: string): string | null {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const finding = this.#find(path);
    for (;;) {
      const { done, value } = finding.next();
      if (done === true) return value;
    }
  }

  /** Finds the first for each of these that is not known yet, in pieces; a list is never changed. */
  *settle(all: readonly Named[]): Generator<void> {
    if (this.#settled.has(all)) return;
    for (const { name } of all) if (!this.#known.has(name)) yield* this.#find(name);
    this.#settled.add(all);
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
    this.#grown(this);
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

const MOST_BYTES = 33_554_432;
const kept = new LRUCache<string, Patterns>({ maxSize: MOST_BYTES });
/** Those of lists that are in use, as long as they are kept: most lists stay one object. */
const inUse = new WeakMap<readonly string[], WeakRef<Patterns>>();

/** The one for these patterns, with what it knows; a list is never changed. */
export function patternsOf(list: readonly string[]): Patterns {
  const known = inUse.get(list)?.deref();
  if (known !== undefined) return known;
  // No pattern holds a line end.
  const text = list.join('\n');
  const keep = (patterns: Patterns): void => {
    // The cache reads a size only with a value it does not hold.
    kept.delete(text);
    kept.set(text, patterns, { size: patterns.weight });
  };
  const patterns = kept.get(text) ?? new Patterns(list, keep);
  keep(patterns);
  inUse.set(list, new WeakRef(patterns));
  return patterns;
}
