import { isMap, isNode, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';

/** The keys and indexes that lead to a value of a seed file. */
export type Path = readonly (string | number)[];

/** Something in a seed file that must be changed before anything is written. */
export interface Problem {
  at: Path;
  message: string;
}

/** A problem with its position in the text, both counted from 1. */
export interface PlacedProblem {
  line: number;
  column: number;
  /** The path of the value, as in `people[0].keys[2].name`; empty for the file itself. */
  path: string;
  message: string;
}

/** A parsed seed file, which can tell where each of its values is written. */
export interface Source {
  value: unknown;
  place(problem: Problem): PlacedProblem;
}

/** Thrown with all problems of a seed file; nothing of the file was saved. */
export class SeedRefused extends Error {
  readonly problems: readonly PlacedProblem[];

  constructor(problems: readonly PlacedProblem[]) {
    super(problems.map(({ message }) => message).join('; '));
    this.name = 'SeedRefused';
    this.problems = problems;
  }
}

/** Parses YAML 1.2; throws `SeedRefused` with every error of the syntax. */
export function readSource(text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error' });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const refuse = (offset: number, message: string) => ({ ...placeAt(offset), path: '', message });
  if (document.errors.length > 0)
    throw new SeedRefused(
      document.errors.map(({ pos: [offset], message }) => refuse(offset, firstLine(message))),
    );
  return {
    value: valueOf(document, refuse),
    place: ({ at, message }) => ({
      ...placeAt(offsetOf(document, at)),
      path: textOf(at),
      message,
    }),
  };
}

function valueOf(
  document: Document,
  refuse: (offset: number, message: string) => PlacedProblem,
): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // An alias without its anchor, or aliases that repeat too much.
    throw new SeedRefused([refuse(0, firstLine((error as Error).message))]);
  }
}

// The library adds an excerpt of the text, which may contain what must not be printed.
const firstLine = (message: string) => message.split('\n')[0]!.replace(/ at line \d+.*$/, '');

/** Returns where the key or value is written, or what contains it if the file does not have it. */
function offsetOf(document: Document, at: Path): number {
  for (let length = at.length; length > 0; length -= 1) {
    const outer: unknown = document.getIn(at.slice(0, length - 1), true);
    const last = at[length - 1]!;
    const pair = isMap(outer)
      ? outer.items.find(({ key }) => String(key) === String(last))
      : undefined;
    const node: unknown = pair?.key ?? document.getIn(at.slice(0, length), true);
    const start = startOf(node);
    if (start !== undefined) return start;
  }
  return startOf(document.contents) ?? 0;
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);

/** Formats a path as one reads it: `people[0].keys[2].name`. */
const textOf = (at: Path): string =>
  at
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
