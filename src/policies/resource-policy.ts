import { z } from 'zod';
import { isGlob, PATTERN_BYTES } from './glob.ts';
import { patternsOf } from './patterns.ts';
import { duplicates, emptyLists, listsFitMode, Mode, passes, requireStored } from './policy.ts';
import type { PolicyFault } from './policy.ts';

const lists = ['patterns'] as const;
const PATTERNS = 256;

/** NFC like the paths it is matched with; refused as malformed where it is no glob of ours. */
const Pattern = z
  .string()
  .max(PATTERN_BYTES)
  .normalize('NFC')
  .refine(isGlob, { message: 'Not a glob pattern.' });

/** Its length is looked at first, so that no body makes a complaint per entry. */
const PatternList = z
  .array(z.unknown())
  .max(PATTERNS)
  .meta({ items: { type: 'string', maxLength: PATTERN_BYTES } })
  .pipe(z.array(Pattern));

/** Globs over a resource's path, not its URI. */
export const ResourcePolicy = z
  .object({ mode: Mode, patterns: PatternList.optional() })
  .superRefine(listsFitMode('patterns', lists));
export type ResourcePolicy = z.infer<typeof ResourcePolicy>;

export const storedResourcePolicy = (stored: unknown) =>
  requireStored(stored, lists) as ResourcePolicy;

export function resourcePolicyFaults(policy: ResourcePolicy): PolicyFault[] {
  return [...emptyLists(policy, lists), ...duplicates(policy, lists)];
}

export const admitsResource = (policy: ResourcePolicy, path: string): boolean =>
  passes(policy.mode, () => matchedPattern(policy, path) !== null);

/** The first pattern that speaks of the path; null: none does. */
export const matchedPattern = (policy: ResourcePolicy, path: string): string | null =>
  policy.patterns === undefined ? null : patternsOf(policy.patterns).first(path);
