import MiniSearch from 'minisearch';
import type { Steps } from '../../platform/concurrency/turns.ts';
import type { ToolItem } from '../../visibility/visibility.ts';
import { similarTerms } from './similar-terms.ts';
import { termsOf } from './terms.ts';

/** The fields of a tool that are searched. */
export type SearchedTool = Pick<ToolItem, 'name' | 'title' | 'description' | 'input_schema'>;

/** A tool that matches a query, by its position in the list. */
export interface Match {
  position: number;
  score: number;
}

/** An index of a list of tools. */
export interface ToolIndex {
  /** Returns the matching tools, the best first; equal ones in the order of the list. */
  search(query: string): Steps<Match[]>;
  /** Estimated memory, in characters of indexed text. */
  size: number;
}

// A list of 5,000 tools is indexed with 2,000 characters of each; more would add memory, and hardly
// change what is found. The limit depends on nothing but the list itself.
const MAX_TOOL_CHARACTERS = 4_000;
const MAX_LIST_CHARACTERS = 10_000_000;
// Overhead of an index and of a tool.
const INDEX_SIZE = 1_000;
const TOOL_SIZE = 100;

// Agents that know a name find its tool first; argument names are often the same in many tools.
const BOOST = { name: 4, title: 2, description: 1, arguments: 0.5 };
type Field = keyof typeof BOOST;

const MAX_QUERY_TERMS = 8;
// Sum of the tools that contain each term, and of those that contain the similar ones of a term: it
// bounds the time of a search. The rarest terms decide the order; those that most tools contain hardly
// change it.
const MAX_OCCURRENCES = 1_500;
// Each search compares its terms with all of these. Real lists of 5,000 tools have far fewer.
const MAX_TERMS = 100_000;

/** Indexes a list of tools, and nothing else: no score depends on what is not in the list. */
export function* indexTools(tools: readonly SearchedTool[]): Steps<ToolIndex> {
  /** The number of tools that contain each term. */
  const occurrences = new Map<string, number>();
  let counted = new Set<string>();
  const index = new MiniSearch<Record<Field, string> & { id: number }>({
    fields: Object.keys(BOOST),
    tokenize(text) {
      const terms = termsOf(text).filter(
        (term) => occurrences.size < MAX_TERMS || occurrences.has(term),
      );
      for (const term of terms) {
        if (counted.has(term)) continue;
        counted.add(term);
        occurrences.set(term, (occurrences.get(term) ?? 0) + 1);
      }
      return terms;
    },
    processTerm: (term) => term,
    searchOptions: { boost: BOOST, tokenize: (term) => [term] },
  });
  const scoresOf = (term: string): readonly { id: number; score: number }[] => index.search(term);
  const max = Math.min(MAX_TOOL_CHARACTERS, Math.floor(MAX_LIST_CHARACTERS / tools.length));
  let size = INDEX_SIZE;
  for (const [id, tool] of tools.entries()) {
    const texts = textsOf(tool, max);
    counted = new Set();
    index.add({ id, ...texts });
    for (const { length } of Object.values(texts)) size += length;
    size += TOOL_SIZE;
    yield;
  }
  return {
    size,
    *search(query) {
      const matches = new Map<number, { score: number; terms: number }>();
      for (const term of rarestTerms(termsOf(query), occurrences))
        for (const [position, score] of yield* termScores(term, occurrences, scoresOf)) {
          const match = matches.get(position) ?? { score: 0, terms: 0 };
          matches.set(position, { score: match.score + score, terms: match.terms + 1 });
        }
      return Array.from(matches, ([position, { score, terms }]) => ({
        position,
        // As in MiniSearch, a tool with more words of the query is better.
        score: score * terms,
      })).toSorted((one, other) => other.score - one.score || one.position - other.position);
    },
  };
}

/** Returns the scores of the tools that contain a term or a similar one, by their positions. */
function* termScores(
  term: string,
  occurrences: ReadonlyMap<string, number>,
  scoresOf: (term: string) => readonly { id: number; score: number }[],
): Steps<ReadonlyMap<number, number>> {
  const scores = new Map<number, number>();
  for (const similar of yield* similarTerms(term, occurrences, MAX_OCCURRENCES)) {
    for (const { id, score } of scoresOf(similar.term))
      scores.set(id, (scores.get(id) ?? 0) + score * similar.weight);
    yield;
  }
  return scores;
}

/** Returns the terms of a query that decide what is found: at least one, the rarest first. */
function rarestTerms(terms: readonly string[], occurrences: ReadonlyMap<string, number>): string[] {
  const countOf = (term: string) => occurrences.get(term) ?? 0;
  let sum = 0;
  return [...new Set(terms)]
    .toSorted((one, other) => countOf(one) - countOf(other))
    .slice(0, MAX_QUERY_TERMS)
    .filter((term, index) => (sum += countOf(term)) <= MAX_OCCURRENCES || index === 0);
}

/** Returns the indexed texts of a tool, which have at most `max` characters together. */
function textsOf(
  { name, title, description, input_schema }: SearchedTool,
  max: number,
): Record<Field, string> {
  let left = max;
  const cut = (text: string): string => {
    const part = text.slice(0, left);
    left -= part.length;
    return part;
  };
  return {
    name: cut(name),
    title: cut(title),
    description: cut(description),
    arguments: cut(argumentsOf(input_schema, left).join(' ')),
  };
}

/** Returns the names and descriptions of all arguments, until they exceed `max` characters. */
function argumentsOf(schema: object, max: number): string[] {
  const found: string[] = [];
  const queue: object[] = [schema];
  let length = 0;
  for (const node of queue) {
    if (length > max) break;
    const { properties, items } = node as { properties?: unknown; items?: unknown };
    if (isObject(items)) queue.push(items);
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties)) {
      if (length > max) break;
      const { description } = (property ?? {}) as { description?: unknown };
      const text = typeof description === 'string' ? `${name} ${description}` : name;
      found.push(text);
      length += text.length;
      if (isObject(property)) queue.push(property);
    }
  }
  return found;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
