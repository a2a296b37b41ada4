const SLASH = '/';
const BITS = 32;

type Bits = Int32Array;

/** Cost of matching, in words of states processed. */
export interface Meter {
  steps: number;
}

/**
 * A pattern as a bit-parallel automaton (Baeza-Yates and Gonnet, "A new approach to text
 * searching", 1992): each character of the path moves 32 states at a time, regardless of the
 * pattern.
 */
export class Glob {
  /** Literal text up to the first wildcard. */
  readonly #prefix: string;
  readonly #isLiteral: boolean;
  readonly #last: number;
  readonly #words: number;
  /** States alive after the prefix, and the word of the first of them. */
  readonly #start: Bits;
  readonly #low: number;
  /**
   * For each code point of the pattern, the offset in `#moves` of the states that it advances.
   * Other code points have offset 0, where only `?` advances.
   */
  readonly #rows: ReadonlyMap<number, number>;
  readonly #moves: Bits;
  /**
   * States that stay alive. First half, for a slash: those inside `**`. Second half, for any other
   * character: also those at `*`.
   */
  readonly loops: Bits;
  readonly #stars: Bits;
  /** States before `**`, from which it can be entered or skipped. */
  readonly anySegments: Bits;
  readonly #states: Bits;

  constructor(pattern: string) {
    const wild = pattern.search(/[?*]/);
    this.#isLiteral = wild < 0;
    this.#prefix = this.#isLiteral ? pattern : pattern.slice(0, wild);
    const steps = this.#isLiteral ? [] : stepsOf(pattern);
    this.#last = steps.length;
    this.#words = wordOf(steps.length) + 1;
    const bitsWhere = (holds: (step: string, state: number) => boolean) => {
      const bits = new Int32Array(this.#words);
      for (let state = 0; state <= steps.length; state += 1)
        if (holds(steps[state] ?? '', state)) bits[wordOf(state)]! |= bitOf(state);
      return bits;
    };
    const first = Array.from(this.#prefix).length;
    const live = startOf(steps, first);
    this.#start = bitsWhere((_step, state) => live.has(state));
    this.#low = wordOf(first);
    this.#stars = bitsWhere((step) => step === STAR);
    this.anySegments = bitsWhere((step) => step === ANY_SEGMENTS);
    const depths = bitsWhere((step) => step === DEPTH);
    this.loops = joinBits([depths, bitsWhere((step) => step === DEPTH || step === STAR)]);
    const others = bitsWhere((step) => step === ANY);
    const named = new Set([SLASH_POINT, ...steps.map(pointOf).filter((point) => point !== null)]);
    this.#rows = new Map(Array.from(named, (point, index) => [point, (index + 1) * this.#words]));
    const rows = Array.from(named, (point) => (point === SLASH_POINT ? depths : others));
    this.#moves = joinBits([others, ...rows]);
    for (const [state, step] of steps.entries()) {
      const row = this.#rows.get(pointOf(step) ?? -1);
      if (row !== undefined) this.#moves[row + wordOf(state)]! |= bitOf(state);
    }
    this.#states = new Int32Array(this.#words);
  }

  /** Number of words in its tables; building each costs about one step. */
  get size(): number {
    return this.#moves.length + 8 * this.#words;
  }

  /** Approximate memory in bytes. */
  get weight(): number {
    return 600 + 4 * this.size + 60 * this.#rows.size;
  }

  matches(path: string, meter: Meter): boolean {
    meter.steps += 1;
    if (this.#isLiteral) return path === this.#prefix;
    if (!path.startsWith(this.#prefix)) return false;
    const states = this.#states;
    const last = this.#words - 1;
    states.set(this.#start);
    // All live states are in the words from `low` to `high`.
    let low = this.#low;
    let high = Math.min(low + 1, last);
    for (let at = this.#prefix.length; at < path.length;) {
      const point = path.codePointAt(at)!;
      at += point > 0xffff ? 2 : 1;
      high = Math.min(high + 1, last);
      this.#move(point, low, high);
      meter.steps += high - low + 1;
      while (high > low && states[high] === 0) high -= 1;
      while (states[low] === 0) {
        // No state is alive, so no later character can match.
        if (low === high) return false;
        low += 1;
      }
    }
    return (states[wordOf(this.#last)]! & bitOf(this.#last)) !== 0;
  }

  #move(point: number, low: number, high: number): void {
    const states = this.#states;
    const moves = this.#moves;
    const loops = this.loops;
    const starsAt = this.#stars;
    const anySegmentsAt = this.anySegments;
    const row = this.#rows.get(point) ?? 0;
    const loopOffset = point === SLASH_POINT ? 0 : this.#words;
    let moving = 0;
    let passing = 0;
    for (let word = low; word <= high; word += 1) {
      const now = states[word]!;
      const advanced = now & moves[row + word]!;
      let next = (advanced << 1) | moving | (now & loops[loopOffset + word]!) | passing;
      moving = advanced >>> (BITS - 1);
      // Transitions that consume no character: into `**`, past it, and past `*`.
      const segments = next & anySegmentsAt[word]!;
      next |= (segments << 1) | (segments << 2);
      const stars = next & starsAt[word]!;
      next |= stars << 1;
      passing = (segments >>> (BITS - 1)) | (segments >>> (BITS - 2)) | (stars >>> (BITS - 1));
      states[word] = next;
    }
  }
}

const SLASH_POINT = SLASH.codePointAt(0)!;

const ANY = '?';
const STAR = '*';
/** States before and inside `**`, which matches any number of whole segments. */
const ANY_SEGMENTS = '**';
const DEPTH = '**/';

/** Splits a pattern into steps, one per state; `=x` is the literal character x. */
function stepsOf(pattern: string): string[] {
  const segments = pattern
    .split(SLASH)
    .filter((one, at, all) => one !== '**' || all[at - 1] !== one);
  // A trailing `**` matches what is below the folder, not the folder itself.
  if (segments.at(-1) === '**') segments.push('*');
  return segments.flatMap((segment, index) => {
    if (segment === '**') return [ANY_SEGMENTS, DEPTH];
    const characters = Array.from(segment, (one) =>
      one === ANY || one === STAR ? one : `=${one}`,
    );
    return index < segments.length - 1 ? [...characters, `=${SLASH}`] : characters;
  });
}

/** Returns the first state and those that it reaches without consuming a character. */
function startOf(steps: readonly string[], first: number): ReadonlySet<number> {
  const live = steps[first] === ANY_SEGMENTS ? [first, first + 1, first + 2] : [first];
  return new Set([...live, ...live.filter((state) => steps[state] === STAR).map((at) => at + 1)]);
}

/** Returns the code point of a literal step, null for a wildcard. */
const pointOf = (step: string) => (step.startsWith('=') ? step.codePointAt(1)! : null);

const wordOf = (state: number) => Math.floor(state / BITS);
const bitOf = (state: number) => 1 << (state % BITS);

function joinBits(parts: readonly Bits[]): Bits {
  const result = new Int32Array(parts.length * parts[0]!.length);
  parts.forEach((part, index) => result.set(part, index * part.length));
  return result;
}
