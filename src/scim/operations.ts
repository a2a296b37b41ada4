import { z } from 'zod';
import { malformed } from '../platform/errors/refusal.ts';
import { parsePath } from './filter/path.ts';
import type { Path } from './filter/path.ts';

const MAX_OPERATIONS = 100;
// A user of a directory has some thirty, with those of extensions.
const MAX_MEMBERS = 200;

/** The body of a PATCH. Microsoft Entra ID writes operations with capital letters. */
export const PatchBody = z.object({
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['add', 'replace', 'remove'])),
        path: z.string().max(2_000).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(MAX_OPERATIONS),
});
export type PatchBody = z.infer<typeof PatchBody>;

/** A change of one attribute. */
export interface Step {
  op: 'add' | 'replace' | 'remove';
  path: Path;
  value: unknown;
}

/**
 * Returns the changes of a PATCH in order, one for each attribute. Attributes of extensions are
 * left out.
 */
export const stepsOf = ({ Operations }: PatchBody): Step[] =>
  Operations.flatMap(({ op, path, value }) => {
    if (path !== undefined) return stepAt(op, path, value);
    if (op === 'remove') throw malformed('no_target', 'A `remove` operation must have a path.');
    if (!isObject(value))
      throw malformed('invalid_value', 'An operation without a path must have an object as value.');
    return stepsOfObject(op, value);
  });

/** Returns the changes that an object makes, each of its members being a path. */
export function stepsOfObject(op: Step['op'], value: Readonly<Record<string, unknown>>): Step[] {
  if (Object.keys(value).length > MAX_MEMBERS)
    throw malformed('invalid_value', `An object may have at most ${MAX_MEMBERS} attributes.`);
  return Object.entries(value).flatMap(([key, one]) => stepAt(op, key, one));
}

function stepAt(op: Step['op'], written: string, value: unknown): Step[] {
  const path = parsePath(written);
  return path === null ? [] : [{ op, path, value }];
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const invalidValue = (attribute: string, needed: string) =>
  malformed('invalid_value', `\`${attribute}\` must be ${needed}.`);

const TEXT_CHARACTERS = 256;

/** Returns a text attribute; null for null and the empty text. */
export function readText(attribute: string, sent: unknown): string | null {
  const value = soleValueOf(sent);
  if (value === null || value === undefined || value === '') return null;
  if (typeof value !== 'string' || value.length > TEXT_CHARACTERS)
    throw invalidValue(attribute, `a text of at most ${TEXT_CHARACTERS} characters`);
  return value.normalize('NFC').trim() || null;
}

/** Returns the value of an attribute that is sent as a list of one, as Entra ID may do. */
export function soleValueOf(sent: unknown): unknown {
  if (!Array.isArray(sent) || sent.length !== 1) return sent;
  const [only] = sent as unknown[];
  return isObject(only) && 'value' in only ? only['value'] : sent;
}
