import { randomInt } from 'node:crypto';
import type { Steps } from '../concurrency/turns.ts';

/** Limits for untrusted JSON; beyond them it would hold the event loop for longer than 50 ms. */
export interface StructureLimits {
  levels: number;
  /** Brackets, commas and colons outside of strings. */
  marks: number;
  /**
   * Distinct sequences of keys with which an object begins. V8 creates a hidden class for each, so
   * an object with new keys costs a hundred times as much as one more object with known keys.
   */
  shapes: number;
}

export type StructureFault = 'levels' | 'marks' | 'shapes';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
// Random, so that nobody can choose keys whose shapes count as one.
const SEED = randomInt(2 ** 32);

/** Scans JSON in linear time, before it is parsed, to find how costly it would be. */
export class StructureScan {
  marks = 0;
  /** Level at which the next character is; text that is not JSON can reach below zero. */
  depth = 0;
  isString = false;
  #isEscaped = false;
  #isTooDeep = false;
  #hash = 0;
  /** Hash of the last string, if a colon would make it a key. */
  #key: number | null = null;
  /** For each open object, the hash of its keys so far. */
  readonly #open: Int32Array;
  readonly #shapes = new Set<number>();
  readonly #limits: StructureLimits;

  constructor(limits: StructureLimits) {
    this.#limits = limits;
    this.#open = new Int32Array(limits.levels + 1);
  }

  get fault(): StructureFault | null {
    if (this.#isTooDeep) return 'levels';
    if (this.marks > this.#limits.marks) return 'marks';
    return this.#shapes.size > this.#limits.shapes ? 'shapes' : null;
  }

  /** Reads a byte of UTF-8, or a code unit; `canClose` is whether a bracket may close a level. */
  read(code: number, canClose = true): void {
    if (this.isString) this.#readInString(code);
    else if (code === QUOTE) {
      this.isString = true;
      this.#hash = SEED;
    } else if (OPENING.has(code)) {
      this.marks += 1;
      this.depth += 1;
      this.#isTooDeep ||= this.depth > this.#limits.levels;
      this.#open[this.depth] = SEED;
    } else if (CLOSING.has(code)) {
      this.marks += 1;
      if (canClose) this.depth -= 1;
    } else if (code === COMMA) this.marks += 1;
    else if (code === COLON) {
      this.marks += 1;
      if (this.#key !== null) this.#addKey(this.#key);
    }
  }

  /** Ends a string that is still open: JSON strings cannot contain a raw line end. */
  endLine(): void {
    this.marks += 1;
    this.isString = false;
    this.#isEscaped = false;
    this.#key = null;
  }

  #readInString(code: number): void {
    if (!this.#isEscaped && code === QUOTE) {
      this.isString = false;
      this.#key = this.#hash;
      return;
    }
    this.#isEscaped = !this.#isEscaped && code === BACKSLASH;
    this.#hash = mix(this.#hash, code);
  }

  #addKey(key: number): void {
    const shape = mix(this.#open[this.depth] ?? 0, key);
    this.#open[this.depth] = shape;
    this.#shapes.add(shape);
    this.#key = null;
  }
}

const CHARACTERS_PER_STEP = 32_768;

/** Returns the first limit that a text exceeds, or null. */
export function* structureFault(
  text: string,
  limits: StructureLimits,
): Steps<StructureFault | null> {
  const scan = new StructureScan(limits);
  for (let at = 0; at < text.length; at += 1) {
    scan.read(text.charCodeAt(at));
    if ((at & 0xff) === 0 && scan.fault !== null) return scan.fault;
    if ((at + 1) % CHARACTERS_PER_STEP === 0) yield;
  }
  return scan.fault;
}

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
