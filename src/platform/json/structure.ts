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
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
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
  /** Whether the next string of valid JSON may be a key: not after a colon or `[`. */
  #canBeKey = false;
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

  /** Reads a byte of UTF-8; `canClose` is whether a bracket may close a level. */
  read(code: number, canClose = true): void {
    if (this.isString) this.#readInString(code);
    else this.#readMark(code, canClose);
  }

  /** Reads bytes of nothing but JSON, which is far faster if it has long strings. */
  readJson(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1)
      if (!this.isString) this.#readMark(bytes[at]!, true);
      else if (this.#canBeKey) this.#readInString(bytes[at]!);
      else at = this.#skipString(bytes, at);
  }

  /** Ends a string that is still open: JSON strings cannot contain a raw line end. */
  endLine(): void {
    this.marks += 1;
    this.isString = false;
    this.#isEscaped = false;
    this.#key = null;
  }

  #readMark(code: number, canClose: boolean): void {
    switch (code) {
      case QUOTE:
        this.isString = true;
        this.#hash = SEED;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        this.marks += 1;
        this.depth += 1;
        this.#isTooDeep ||= this.depth > this.#limits.levels;
        this.#open[this.depth] = SEED;
        this.#canBeKey = code === OPEN_OBJECT;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        this.marks += 1;
        if (canClose) this.depth -= 1;
        break;
      case COMMA:
        this.marks += 1;
        this.#canBeKey = true;
        break;
      case COLON:
        this.marks += 1;
        this.#canBeKey = false;
        if (this.#key !== null) this.#addKey(this.#key);
    }
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

  /** Returns the index of the last byte of a string that is a value, or of all bytes. */
  #skipString(bytes: Uint8Array, start: number): number {
    let isEscaped = this.#isEscaped;
    let at = start;
    for (; at < bytes.length; at += 1) {
      const code = bytes[at]!;
      if (code === QUOTE && !isEscaped) break;
      isEscaped = code === BACKSLASH && !isEscaped;
    }
    this.#isEscaped = isEscaped;
    if (at === bytes.length) return at;
    this.isString = false;
    this.#key = null;
    return at;
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
  for (let at = 0; at < text.length; at += CHARACTERS_PER_STEP) {
    scan.readJson(Buffer.from(text.slice(at, at + CHARACTERS_PER_STEP)));
    if (scan.fault !== null) return scan.fault;
    yield;
  }
  return null;
}

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
