const SLASH = '/';
const BITS = 32;

type Bits = Uint32Array;

/**
 * A pattern as an automaton whose states are bits (Baeza-Yates and Gonnet, "A new approach to text
 * searching", 1992): a character of the path moves 32 of them at once, whatever the pattern is.
 */
export class Glob {
  readonly #words: number;
  /** States that a character moves on; of a character no state names: `?` alone. */
  readonly #moves = new Map<string, Bits>();
  readonly #movesOfOther: Bits;
  /** States that stay: `*` on all but a slash, the inside of `**` on everything. */
  readonly #stars: Bits;
  readonly #depths: Bits;
  /** States before `**`, which may be passed over. */
  readonly #doors: Bits;
  readonly #last: number;

  constructor(pattern: string) {
    const steps = stepsOf(pattern);
    this.#last = steps.length;
    this.#words = Math.floor(steps.length / BITS) + 1;
    const bitsWhere = (holds: (step: string) => boolean) => {
      const bits = new Uint32Array(this.#words);
      steps.forEach((step, state) => {
        if (holds(step)) set(bits, state);
      });
      return bits;
    };
    this.#stars = bitsWhere((step) => step === STAR);
    this.#depths = bitsWhere((step) => step === DEPTH);
    this.#doors = bitsWhere((step) => step === DOOR);
    this.#movesOfOther = bitsWhere((step) => step === ANY);
    for (const character of new Set(steps.filter((step) => step.startsWith('=')))) {
      const text = character.slice(1);
      const isSlash = text === SLASH;
      this.#moves.set(
        text,
        bitsWhere((step) => step === character || (isSlash ? step === DEPTH : step === ANY)),
      );
    }
    if (!this.#moves.has(SLASH)) this.#moves.set(SLASH, this.#depths);
  }

  matches(path: string): boolean {
    let states = new Uint32Array(this.#words);
    let next = new Uint32Array(this.#words);
    set(states, 0);
    this.#pass(states);
    for (const character of path) {
      const moves = this.#moves.get(character) ?? this.#movesOfOther;
      if (!this.#step(states, next, moves, character === SLASH)) return false;
      [states, next] = [next, states];
    }
    return has(states, this.#last);
  }

  /** False: no state is left, and no later character brings one back. */
  #step(states: Bits, next: Bits, moves: Bits, isSlash: boolean): boolean {
    let carry = 0;
    let any = 0;
    for (let word = 0; word < this.#words; word += 1) {
      const now = states[word]!;
      const moved = now & moves[word]!;
      const stay = now & (isSlash ? this.#depths[word]! : this.#depths[word]! | this.#stars[word]!);
      const value = ((moved << 1) | carry | stay) >>> 0;
      carry = moved >>> (BITS - 1);
      next[word] = value;
      any |= value;
    }
    if (any === 0) return false;
    this.#pass(next);
    return true;
  }

  /** Where nothing need be read: over a door, into it, and past a star. */
  #pass(states: Bits): void {
    let carried = 0;
    let carriedTwo = 0;
    for (let word = 0; word < this.#words; word += 1) {
      const atDoor = states[word]! & this.#doors[word]!;
      states[word]! |= (atDoor << 1) | (atDoor << 2) | carried | carriedTwo;
      carried = atDoor >>> (BITS - 1);
      carriedTwo = atDoor >>> (BITS - 2);
    }
    let carry = 0;
    for (let word = 0; word < this.#words; word += 1) {
      const atStar = (states[word]! | carry) & this.#stars[word]!;
      states[word]! |= (atStar << 1) | carry;
      carry = atStar >>> (BITS - 1);
    }
  }
}

const ANY = '?';
const STAR = '*';
/** Before `**` and within it: whole segments, any number of them. */
const DOOR = '**';
const DEPTH = '**/';

/** One step a state; `=x` is the character x itself. */
function stepsOf(pattern: string): string[] {
  const segments = pattern
    .split(SLASH)
    .filter((one, at, all) => one !== '**' || all[at - 1] !== one);
  // At the end `**` stands for something below, not for the folder itself.
  if (segments.at(-1) === '**') segments.push('*');
  return segments.flatMap((segment, index) => {
    if (segment === '**') return [DOOR, DEPTH];
    const characters = Array.from(segment, (one) =>
      one === ANY || one === STAR ? one : `=${one}`,
    );
    return index < segments.length - 1 ? [...characters, `=${SLASH}`] : characters;
  });
}

function set(bits: Bits, state: number): void {
  bits[Math.floor(state / BITS)]! |= 1 << (state % BITS);
}

const has = (bits: Bits, state: number): boolean =>
  (bits[Math.floor(state / BITS)]! & (1 << (state % BITS))) !== 0;
