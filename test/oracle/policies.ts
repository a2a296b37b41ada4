import { families } from './world.ts';
import type { Family, OraclePolicy } from './world.ts';

/** The lists of each family's policy, the required one first (spec.md, Policies). */
export const lists: Readonly<Record<Family, readonly string[]>> = {
  tools: ['tools', 'custom_tools'],
  prompts: ['prompts', 'platform_prompts'],
  resources: ['patterns'],
  agents: ['agents'],
};
const fieldOf = (family: Family) => `${family.slice(0, -1)}_policy`;
const MAX = { ids: 1000, patterns: 256, patternBytes: 512 };
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * `**` matches any number of segments (at the end, at least one); `*` and `?` match within a
 * segment (decisions 5).
 */
export function globAdmits(pattern: string, path: string): boolean {
  const fits = (segment: string, text: string): boolean => {
    const [first, ...rest] = segment;
    if (first === undefined) return text === '';
    const [character, ...after] = text;
    if (first === '*') {
      if (fits(rest.join(''), text)) return true;
      return character !== undefined && fits(segment, after.join(''));
    }
    if (character === undefined || (first !== '?' && first !== character)) return false;
    return fits(rest.join(''), after.join(''));
  };
  const walk = ([head, ...rest]: string[], segments: string[]): boolean => {
    if (head === undefined) return segments.length === 0;
    if (head === '**' && rest.length === 0) return segments.length > 0;
    if (head === '**') return segments.some((_, skip) => walk(rest, segments.slice(skip)));
    return segments.length > 0 && fits(head, segments[0]!) && walk(rest, segments.slice(1));
  };
  return walk(pattern.normalize('NFC').split('/'), path.normalize('NFC').split('/'));
}

/**
 * Accepts literals, `?`, `*`, and `**` as a whole segment; anything else is malformed (decisions
 * 5).
 */
function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || Buffer.byteLength(value) > MAX.patternBytes) return false;
  // oxlint-disable-next-line no-control-regex
  if (/[\\{}[\]!\u0000-\u001F\u007F]|[?*+@]\(/u.test(value)) return false;
  return value
    .split('/')
    .every((part) => !['', '.', '..'].includes(part) && (part === '**' || !part.includes('**')));
}

/** Returns whether a policy admits an item of this list; an omitted list is empty (decisions 9). */
export function admits(policy: OraclePolicy | undefined, list: string, item: string): boolean {
  if (policy === undefined || policy.mode === 'all') return true;
  const entries = policy[list as 'tools'] ?? [];
  const isListed =
    list === 'patterns'
      ? entries.some((pattern) => globAdmits(pattern, item))
      : entries.includes(item);
  return isListed === (policy.mode === 'whitelist');
}

type KnownIds = (list: string) => ReadonlySet<string>;

/**
 * Returns the status of saving one policy: 400 if malformed (P1–P3), 422 if it breaks a rule (P4).
 */
function statusOf(family: Family, policy: unknown, knownIds: KnownIds): 200 | 400 | 422 {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) return 400;
  const fields = policy as Readonly<Record<string, unknown>>;
  const mode = 'mode' in fields ? fields['mode'] : 'all';
  const present = lists[family].filter((list) => list in fields);
  if (mode === 'all') return present.length === 0 ? 200 : 400;
  if (mode !== 'whitelist' && mode !== 'blacklist') return 400;
  if (present[0] !== lists[family][0]) return 400;
  const isEntry = (entry: unknown) =>
    family === 'resources' ? isPattern(entry) : typeof entry === 'string' && UUID.test(entry);
  const max = family === 'resources' ? MAX.patterns : MAX.ids;
  const values = present.map((list) => fields[list]);
  if (!values.every((list): list is string[] => Array.isArray(list) && list.every(isEntry)))
    return 400;
  if (values.some((list) => list.length > max)) return 400;

  const [required = [], optional] = values;
  const isPlatformOnly = family === 'prompts' && optional !== undefined && optional.length > 0;
  if ((required.length === 0 && !isPlatformOnly) || optional?.length === 0) return 422;
  const normalized = (entry: string) =>
    family === 'resources' ? entry.normalize('NFC') : entry.toLowerCase();
  const all = values.flat().map(normalized);
  if (new Set(all).size < all.length) return 422;
  if (family === 'resources') return 200;
  const isKnown = present.every((list, index) =>
    values[index]!.every((id) => knownIds(list).has(normalized(id))),
  );
  return isKnown ? 200 : 422;
}

/** Returns the status of saving a key with these policies; malformed ones take precedence. */
export function policyStatus(
  body: Readonly<Record<string, unknown>>,
  knownIds: KnownIds,
): 200 | 400 | 422 {
  const statuses = families
    .filter((family) => fieldOf(family) in body)
    .map((family) => statusOf(family, body[fieldOf(family)], knownIds));
  return ([400, 422] as const).find((status) => statuses.includes(status)) ?? 200;
}
