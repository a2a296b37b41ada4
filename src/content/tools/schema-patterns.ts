import { patternCost } from '../../platform/text/pattern-cost.ts';
import type { Schema } from './schema-walk.ts';

/** Limit for all patterns of a schema together: compiling them takes some ten milliseconds. */
const MAX_COST = 4_000;

/** Returns whether one more pattern fits, with all before it. */
export type PatternBudget = (pattern: string) => boolean;

/** Creates the budget of one schema. */
export function createPatternBudget(): PatternBudget {
  let left = MAX_COST;
  return (pattern) => (left -= patternCost(pattern)) >= 0;
}

/** Returns the patterns of a schema itself, without those of its subschemas. */
export function patternsOf({ pattern, patternProperties }: Schema) {
  return [
    ...(typeof pattern === 'string' ? [{ text: pattern, keyword: 'pattern' }] : []),
    ...Object.keys(patternProperties ?? {}).map((text) => ({ text, keyword: 'patternProperties' })),
  ];
}
